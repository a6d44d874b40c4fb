import CWebImageCrypto
import WebImageFoundation

/// Tells whether bytes are those that were stored, and whether two bodies are the same: Poly1305, 128 bits, and the key
/// that it was computed under.
///
/// It takes a seventh of the time of SHA-256. Who knows the key can make two bodies of one digest, and everybody would
/// know one that is written here; so the key is the machine's, and another one whenever that starts. A digest under
/// another key is that of another body, as far as `==` is concerned; `isDigest(of:)` tells under whatever key. See
/// Decision 0015.
///
/// A library that is bound to FIPS lacks Poly1305: then it is the first half of the SHA-256 of the key and the bytes.
struct BodyDigest: Hashable, Sendable {
    let key: Key
    /// The first and the last eight bytes, the first byte in the highest bits.
    let high, low: UInt64

    static let byteCount = 16

    init(_ data: Data, key: Key = .own) {
        let words = unsafe data.withUnsafeBytes { unsafe key.words($0) }
        self.init(key: key, high: words.high, low: words.low)
    }

    init(key: Key, high: UInt64, low: UInt64) {
        (self.key, self.high, self.low) = (key, high, low)
    }

    func isDigest(of data: Data) -> Bool { BodyDigest(data, key: key) == self }

    /// What names a file beside a body, the same everywhere.
    static func name(of data: Data) -> UInt64 { BodyDigest(data, key: .known).high }
}

extension BodyDigest {
    /// Key and digest, 64 lower-case hexadecimal digits.
    var text: String {
        [key.high, key.low, high, low].map { DiskDigest.text($0) }.joined()
    }

    /// Reads what `text` gives; `nil` for anything else.
    init?(text: String) {
        var text = text
        let words = text.withUTF8 { bytes in
            stride(from: 0, to: bytes.count, by: 16).map {
                unsafe DiskDigest.word(UnsafeRawBufferPointer(bytes), $0)
            }
        }
        guard words.count == 4, let keyHigh = words[0], let keyLow = words[1], let high = words[2], let low = words[3]
        else { return nil }
        self.init(key: Key(high: keyHigh, low: keyLow), high: high, low: low)
    }

    /// What decides which of the many functions it is that computes a digest.
    struct Key: Hashable, Sendable {
        /// The first and the last eight bytes, the first byte in the highest bits.
        let high, low: UInt64

        /// What all processes take until the machine starts anew; a process's own where the system does not tell its
        /// starts apart.
        static let own = Platform.startIdentifier.map { Key(Digest.sha256.words("webimage digest " + $0)) } ?? .random
        /// No secret.
        static let known = Key(Digest.sha256.words("webimage digest"))

        private static var random: Key { Key((UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) }

        init(high: UInt64, low: UInt64) {
            (self.high, self.low) = (high, low)
        }

        private init(_ words: (high: UInt64, low: UInt64)) {
            self.init(high: words.high, low: words.low)
        }

        fileprivate func words(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
            // The second half is added to the result and keeps nothing apart here.
            let parts = (high.bigEndian, low.bigEndian, UInt64(0), UInt64(0))
            return unsafe withUnsafeBytes(of: parts) { key in
                if let poly1305 = Authenticator.poly1305 { return unsafe poly1305.words(bytes, key: key) }
                let whole = unsafe Array(key) + Array(bytes)
                return unsafe whole.withUnsafeBytes { unsafe Digest.sha256.words($0) }
            }
        }
    }
}

/// One of libcrypto's authenticators, looked up once.
///
/// `@unchecked Sendable`: libcrypto allows a fetched algorithm on any thread, and nothing writes to it.
@safe private final class Authenticator: @unchecked Sendable {
    private let pointer: OpaquePointer

    static let poly1305 = Authenticator("POLY1305")

    private init?(_ name: String) {
        guard let pointer = unsafe EVP_MAC_fetch(nil, name, "-fips") else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_free(pointer)
    }

    /// The sixteen bytes, as two big-endian numbers.
    func words(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        var words = (high: UInt64(0), low: UInt64(0))
        let isDone = unsafe withUnsafeMutableBytes(of: &words) { unsafe compute(bytes, key, into: $0) }
        // It fails only where there is no memory for a few hundred bytes.
        precondition(isDone, "libcrypto could not compute a digest")
        return (UInt64(bigEndian: words.high), UInt64(bigEndian: words.low))
    }

    private func compute(
        _ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = unsafe EVP_MAC_CTX_new(pointer) else { return false }
        defer { unsafe EVP_MAC_CTX_free(context) }
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let keyStart = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let end = unsafe result.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count = 0
        return unsafe EVP_MAC_init(context, keyStart, key.count, nil) == 1
            && (bytes.isEmpty || EVP_MAC_update(context, start, bytes.count) == 1)
            && EVP_MAC_final(context, end, &count, result.count) == 1 && count == result.count
    }
}
