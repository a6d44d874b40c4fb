/// A hash of bytes that each process draws anew, so that nobody can choose URLs that collide.
///
/// Sixteen bytes at a step are multiplied with one another under a secret, as in Wang Yi's wyhash; a key of a usual
/// length takes a fifth of the time of `Hasher`. Never leaves the process, so it need not be worth more than that.
enum ByteHash {
    private static let secrets = (
        UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)
    )

    static func hash(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(bytes)
        let (first, second, third) = secrets
        var state = third
        var place = 0
        while place + 16 < bytes.count {
            unsafe state = fold(word(bytes, place) ^ first, word(bytes, place + 8) ^ state)
            place += 16
        }
        // What is left, or the last sixteen once more in part: the length, which goes in too, says which.
        let (one, other) =
            unsafe bytes.count >= 16
            ? (word(bytes, bytes.count - 16), word(bytes, bytes.count - 8)) : short(bytes)
        state = fold(one ^ first, other ^ state)
        return Int(truncatingIfNeeded: fold(state ^ second, UInt64(truncatingIfNeeded: bytes.count) ^ first))
    }

    /// Fewer than sixteen bytes in two words.
    private static func short(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        if bytes.count >= 8 { return unsafe (word(bytes, 0), word(bytes, bytes.count - 8)) }
        var word: UInt64 = 0
        for place in 0..<bytes.count { unsafe word = word << 8 | UInt64(bytes[place]) }
        return (word, 0)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }

    /// Both halves of a product.
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (high, low) = one.multipliedFullWidth(by: other)
        return high ^ low
    }
}
