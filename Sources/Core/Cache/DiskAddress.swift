/// Where on disk the entry of a key lies, worked out once for each call.
struct DiskAddress: Sendable {
    let key: CacheKey
    /// The MD5 of the key's text.
    let digest: DiskDigest
    /// The name of the file that holds the bytes: the digest in lower-case hexadecimal and the key's extension.
    let fileName: String

    init(_ key: CacheKey) {
        self.key = key
        let digest = DiskDigest(Digest.md5.words(key.text))
        self.digest = digest
        var base = key.base
        let name = base.withUTF8 { bytes in
            unsafe FileExtension.plain(bytes).map { place in
                unsafe Self.name(digest, UnsafeBufferPointer(rebasing: bytes[place]))
            }
        }
        if let name {
            fileName = name
        } else {
            var pathExtension = FileExtension.of(key.base)
            fileName = pathExtension.withUTF8 { unsafe Self.name(digest, $0) }
        }
    }

    private static func name(_ digest: DiskDigest, _ pathExtension: UnsafeBufferPointer<UInt8>) -> String {
        let count = DiskDigest.textCount + (pathExtension.isEmpty ? 0 : 1 + pathExtension.count)
        return unsafe String(unsafeUninitializedCapacity: count) { buffer in
            unsafe digest.write(to: buffer)
            guard !pathExtension.isEmpty else { return count }
            unsafe buffer[DiskDigest.textCount] = UInt8(ascii: ".")
            for index in pathExtension.indices {
                unsafe buffer[DiskDigest.textCount + 1 + index] = pathExtension[index]
            }
            return count
        }
    }
}

/// The MD5 of a key, as names on disk begin with.
struct DiskDigest: Hashable, Sendable {
    /// The first and the last eight bytes, the first byte in the highest bits.
    let high, low: UInt64

    static let textCount = 32

    init(_ words: (high: UInt64, low: UInt64)) {
        (high, low) = words
    }

    /// Reads the 32 digits at the front of some text; `nil` where there are others.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count >= Self.textCount, let high = unsafe Self.word(text, 0), let low = unsafe Self.word(text, 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// In lower-case hexadecimal.
    var text: String {
        unsafe String(unsafeUninitializedCapacity: Self.textCount) { buffer in
            unsafe write(to: buffer)
            return Self.textCount
        }
    }

    /// Writes the digits to the front of a buffer that has room for them.
    func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe Self.write(high, to: buffer, at: 0)
        unsafe Self.write(low, to: buffer, at: 16)
    }

    /// 16 digits.
    static func text(_ word: UInt64) -> String {
        unsafe String(unsafeUninitializedCapacity: 16) { buffer in
            unsafe write(word, to: buffer, at: 0)
            return 16
        }
    }

    private static func write(_ word: UInt64, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for index in 0..<16 {
            let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * index)) & 15
            unsafe buffer[start + index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
    }

    /// Reads 16 lower-case hexadecimal digits.
    static func word(_ text: UnsafeRawBufferPointer, _ start: Int) -> UInt64? {
        guard text.count >= start + 16 else { return nil }
        var word: UInt64 = 0
        for index in start..<start + 16 {
            let byte = unsafe text[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): word = word << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): word = word << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return word
    }
}
