import CWebImageCrypto
import WebImageFoundation

/// Tells whether bytes are those that were stored, as far as chance is concerned: Poly1305, 128 bits, under a key that
/// everybody knows. It keeps nobody from making two bodies of one digest; whoever can write to a cache's folder need
/// not.
///
/// It takes a seventh of the time of SHA-256, which would be a fifth of what a store takes. A library that
/// is bound to FIPS lacks it: then it is the first half of SHA-256.
struct BodyDigest: Hashable, Sendable {
    /// The first and the last eight bytes, the first byte in the highest bits.
    let high, low: UInt64

    static let byteCount = 16

    init(_ data: Data) {
        self = unsafe data.withUnsafeBytes { unsafe BodyDigest($0) }
    }

    init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        (high, low) = unsafe Authenticator.poly1305?.words(bytes) ?? Digest.sha256.words(bytes)
    }
}

/// One of libcrypto's authenticators, looked up once.
///
/// `@unchecked Sendable`: libcrypto allows a fetched algorithm on any thread, and nothing writes to it.
@safe private final class Authenticator: @unchecked Sendable {
    private let pointer: OpaquePointer

    static let poly1305 = Authenticator("POLY1305")

    /// Any will do that is not zero; other bytes would be another digest.
    private static let key = Array("webimage: a digest, not a secret".utf8)

    private init?(_ name: String) {
        guard let pointer = unsafe EVP_MAC_fetch(nil, name, "-fips") else { return nil }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_MAC_free(pointer)
    }

    /// The sixteen bytes, as two big-endian numbers.
    func words(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        var words = (high: UInt64(0), low: UInt64(0))
        let isDone = unsafe withUnsafeMutableBytes(of: &words) { unsafe compute(bytes, into: $0) }
        // It fails only where there is no memory for a few hundred bytes.
        precondition(isDone, "libcrypto could not compute a digest")
        return (UInt64(bigEndian: words.high), UInt64(bigEndian: words.low))
    }

    private func compute(_ bytes: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer) -> Bool {
        guard let context = unsafe EVP_MAC_CTX_new(pointer) else { return false }
        defer { unsafe EVP_MAC_CTX_free(context) }
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let end = unsafe result.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count = 0
        return unsafe EVP_MAC_init(context, Self.key, Self.key.count, nil) == 1
            && (bytes.isEmpty || EVP_MAC_update(context, start, bytes.count) == 1)
            && EVP_MAC_final(context, end, &count, result.count) == 1 && count == result.count
    }
}
