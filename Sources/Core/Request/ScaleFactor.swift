/// Pixels per point, as a name tells it.
enum ScaleFactor {
    /// 2 or 3 where the key holds `@2x.` or `@3x.` (in a web address also `%402x.`), else 1.
    static func of(key: String) -> Double {
        guard key.utf8.count >= 8, key.hasByte("@") || key.hasByte("%") else { return 1 }
        let isWebAddress = key.hasPrefix("http://") || key.hasPrefix("https://")
        var key = key
        // Byte by byte, for it is asked of every load: a search for texts takes microseconds.
        return key.withUTF8 { bytes in unsafe scale(in: bytes, isWebAddress) }
    }

    private static func scale(in bytes: UnsafeBufferPointer<UInt8>, _ isWebAddress: Bool) -> Double {
        var isThree = false
        for place in 0..<max(0, bytes.count - 3) {
            let digit: Int
            switch unsafe bytes[place] {
            case UInt8(ascii: "@"): digit = place + 1
            case UInt8(ascii: "%") where isWebAddress && place + 5 < bytes.count:
                guard unsafe bytes[place + 1] == UInt8(ascii: "4"), unsafe bytes[place + 2] == UInt8(ascii: "0") else {
                    continue
                }
                digit = place + 3
            default: continue
            }
            guard unsafe bytes[digit + 1] == UInt8(ascii: "x"), unsafe bytes[digit + 2] == UInt8(ascii: ".") else {
                continue
            }
            if unsafe bytes[digit] == UInt8(ascii: "2") { return 2 }
            if unsafe bytes[digit] == UInt8(ascii: "3") { isThree = true }
        }
        return isThree ? 3 : 1
    }
}
