extension IPAddress {
    /// The address that the host of a URL spells, as C libraries read it: one to four numbers for IPv4, decimal, octal
    /// (`0177`) or hexadecimal (`0x7f`), of which the last fills what is left, perhaps with a dot at the end; or IPv6.
    init?(host: String) {
        let text = host.hasSuffix(".") ? host.dropLast() : host[...]
        guard let bytes = Self.numbers(text).flatMap(Self.bytes) else {
            // All other spellings of IPv4 are names.
            guard text.contains(":") else { return nil }
            self.init(String(text))
            return
        }
        self.init(bytes: bytes)
    }

    private static func numbers(_ text: Substring) -> [UInt32]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 4 else { return nil }
        let numbers = parts.compactMap(number)
        return numbers.count == parts.count ? numbers : nil
    }

    private static func number(_ text: Substring) -> UInt32? {
        // `UInt32` would take a sign.
        guard let first = text.utf8.first, first != 0x2B, first != 0x2D else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            guard let digit = digits.utf8.first, digit != 0x2B, digit != 0x2D else { return nil }
            return UInt32(digits, radix: 16)
        }
        return text.count > 1 && first == 0x30 ? UInt32(text, radix: 8) : UInt32(text)
    }

    /// Each number is a byte, but the last, which is all that is left.
    private static func bytes(_ numbers: [UInt32]) -> [UInt8]? {
        guard let last = numbers.last, numbers.dropLast().allSatisfy({ $0 <= 255 }) else { return nil }
        let leading = numbers.dropLast().map { UInt8($0) }
        let count = 4 - leading.count
        guard count == 4 || last < UInt32(1) << (8 * UInt32(count)) else { return nil }
        return leading + (0..<count).reversed().map { UInt8(truncatingIfNeeded: last >> (8 * UInt32($0))) }
    }
}
