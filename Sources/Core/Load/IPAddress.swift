/// An address of the Internet, as a connection was made to it.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 bytes, or 16.
    let bytes: [UInt8]

    /// 4 bytes (IPv4) or 16 (IPv6) in network order; `nil` for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// `192.0.2.1`, `2001:db8::1`, in brackets too; a zone (`fe80::1%eth0`) is passed over. `nil` for a name, and for
    /// the short and hexadecimal spellings of IPv4.
    public init?(_ text: String) {
        if let bytes = Self.version4(text[...]) {
            self.bytes = bytes
            return
        }
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let address = inner.prefix { $0 != "%" }
        guard let bytes = Self.version4(address) ?? Self.version6(address) else { return nil }
        self.bytes = bytes
    }

    /// IPv6 with the longest run of groups of zeros left out, as RFC 5952 has it: `2001:db8::1`.
    public var description: String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        let texts = groups.map { String($0, radix: 16) }
        guard let zeros = Self.longestRunOfZeros(in: groups) else { return texts.joined(separator: ":") }
        return [texts[..<zeros.lowerBound], texts[zeros.upperBound...]]
            .map { $0.joined(separator: ":") }.joined(separator: "::")
    }

    /// The first of the longest; a single zero is none.
    private static func longestRunOfZeros(in groups: [Int]) -> Range<Int>? {
        var (longest, start) = (0..<1, 0)
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        return longest.count > 1 ? longest : nil
    }

    private static func version4(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (number, digitCount) = (0, 0)
        for character in text.utf8 {
            switch character {
            case 0x30...0x39:
                number = number * 10 + Int(character - 0x30)
                digitCount += 1
                guard digitCount <= 3, number <= 255 else { return nil }
            case 0x2E:
                guard digitCount > 0, bytes.count < 3 else { return nil }
                bytes.append(UInt8(number))
                (number, digitCount) = (0, 0)
            default: return nil
            }
        }
        return digitCount > 0 && bytes.count == 3 ? bytes + [UInt8(number)] : nil
    }

    private static func version6(_ text: Substring) -> [UInt8]? {
        guard text.contains(":") else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            guard let bytes = groups(text), bytes.count == 16 else { return nil }
            return bytes
        }
        // Only at the very end may an IPv4 address stand.
        let start = text[..<gap.lowerBound]
        guard !start.contains("."), let head = groups(start), let tail = groups(text[gap.upperBound...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups between colons; the last may be an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let tail = version4(part) {
                bytes += tail
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }
}
