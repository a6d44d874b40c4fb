import WebImageFoundation

extension ImageRequest {
    /// A wish for the picture of a URL in a text, as people and pages write it.
    ///
    /// Blanks around it are left out. What may not stand in a URL is percent-encoded, and what is so already stays,
    /// even where a text has both, which `URL(string:)` would encode twice. A text that is no URL ends the load with
    /// `invalidURL`.
    public init(_ text: String, options: LoadOptions = [], context: LoadContext = LoadContext()) {
        self.init(URL(written: text), options: options, context: context)
    }
}

extension URL {
    fileprivate init?(written text: String) {
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 })
        else { return nil }
        let content = bytes[first...last]
        // The host is left to Foundation, which knows how those of other scripts are written.
        let start = Self.endOfAuthority(in: content)
        self.init(string: String(decoding: content[..<start] + Self.encoded(content[start...]), as: UTF8.self))
    }

    private static func endOfAuthority(in text: ArraySlice<UInt8>) -> Int {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return text.startIndex }
        let rest = text[(colon + 1)...]
        guard rest.starts(with: "//".utf8) else { return rest.startIndex }
        return rest.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
    }

    /// What RFC 3986 allows in paths, queries and fragments stays.
    private static func encoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 16)
        var isInFragment = false
        for (index, byte) in zip(text.indices, text) {
            let isMark = byte == UInt8(ascii: "#") && !isInFragment
            isInFragment = isInFragment || isMark
            if isMark || isAllowed[Int(byte)] || isEscape(text[index...]) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return result
    }

    private static let isAllowed: [Bool] = (UInt8.min...UInt8.max).map { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-._~!$&'()*+,;=:@/?".contains(character))
    }

    private static func isEscape(_ text: ArraySlice<UInt8>) -> Bool {
        text.first == UInt8(ascii: "%") && text.count > 2
            && text.dropFirst().prefix(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
