import CWebImageCrypto
import WebImageFoundation

/// Digests of libcrypto, which uses what the processor has for them.
package struct Digest: Sendable {
    private let algorithm: Algorithm
    /// How many bytes a digest has.
    let byteCount: Int

    /// Names files; not meant to keep anyone from making two texts of one digest.
    ///
    /// A library that is bound to FIPS may lack MD5 altogether: then it is the first half of SHA-256. Files keep their
    /// names on that machine, and every entry holds its whole key in any case.
    static let md5 = Digest(Algorithm("MD5", properties: "-fips") ?? sha256.algorithm, byteCount: 16)
    /// Tells whether two bodies are the same, also where somebody would have others of one digest.
    package static let sha256 = Digest(Algorithm("SHA256", properties: nil)!, byteCount: 32)

    /// The same, where a server prefers it.
    static let sha512 = Digest(Algorithm("SHA512", properties: nil)!, byteCount: 64)

    private init(_ algorithm: Algorithm, byteCount: Int) {
        self.algorithm = algorithm
        self.byteCount = byteCount
    }

    package func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            let result = unsafe EVP_Digest(
                bytes.baseAddress, bytes.count, buffer.baseAddress, nil, algorithm.pointer, nil)
            // It fails only where there is no memory for a few hundred bytes.
            precondition(result == 1, "libcrypto could not compute a digest")
            count = byteCount
        }
    }

    func callAsFunction(_ data: Data) -> [UInt8] {
        unsafe data.withUnsafeBytes { unsafe self($0) }
    }

    /// The first sixteen bytes of the digest of a text's UTF-8, as two big-endian numbers.
    func words(_ text: String) -> (high: UInt64, low: UInt64) {
        var text = text
        return text.withUTF8 { unsafe words(UnsafeRawBufferPointer($0)) }
    }

    /// The first sixteen bytes of a digest, as two big-endian numbers. Allocates nothing.
    func words(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        unsafe withUnsafeTemporaryAllocation(byteCount: Int(EVP_MAX_MD_SIZE), alignment: 8) { buffer in
            let result = unsafe EVP_Digest(
                bytes.baseAddress, bytes.count, buffer.baseAddress, nil, algorithm.pointer, nil)
            precondition(result == 1, "libcrypto could not compute a digest")
            let high = unsafe buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            let low = unsafe buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            return (UInt64(bigEndian: high), UInt64(bigEndian: low))
        }
    }

    /// The digest of a text's UTF-8 in lower-case hexadecimal.
    func hexadecimal(_ text: String) -> String {
        var text = text
        return text.withUTF8 { unsafe hexadecimal(UnsafeRawBufferPointer($0)) }
    }

    /// The digest of bytes in lower-case hexadecimal.
    func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        let digest = unsafe self(bytes)
        return unsafe String(unsafeUninitializedCapacity: digest.count * 2) { buffer in
            for (index, byte) in digest.enumerated() {
                unsafe buffer[index * 2] = Self.digit(byte >> 4)
                unsafe buffer[index * 2 + 1] = Self.digit(byte & 15)
            }
            return digest.count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

/// One of libcrypto's algorithms, looked up once: the look-up costs more than the digest of a key.
///
/// `@unchecked Sendable`: libcrypto allows a fetched algorithm on any thread, and nothing writes to it.
@safe private final class Algorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(_ name: String, properties: String?) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, properties) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MD_free(pointer)
    }
}
