/// Values of header fields that are lists (RFC 9110, 5.6.1).
enum HTTPList {
    /// The elements between commas that stand outside of quotes, without space around them; empty ones are left out.
    static func elements(_ text: String) -> [String] {
        var elements: [String] = []
        var current: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                elements.append(String(decoding: current, as: UTF8.self))
                current = []
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            current.append(byte)
        }
        elements.append(String(decoding: current, as: UTF8.self))
        return elements.map { trimmed($0[...]) }.filter { !$0.isEmpty }
    }

    /// Without spaces and tabs at both ends.
    static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }

    /// A quoted text without its quotes and escapes; other text as it is.
    static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                isEscaped = false
                result.append(character)
            }
        }
        return result
    }
}

extension HTTPHeaders {
    /// All lines of a name as one list; `nil` where there is none.
    func list(_ name: String) -> String? {
        guard index(of: name) != nil else { return nil }
        return fields.filter { Self.isSame($0.name, name) }.map(\.value).joined(separator: ", ")
    }
}
