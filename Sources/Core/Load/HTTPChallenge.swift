/// One way to authenticate that a server offers (RFC 9110, 11.6.1).
struct HTTPChallenge: Equatable {
    /// Lower case.
    let scheme: String
    /// Names in lower case; quotes taken off the values.
    var parameters: [String: String]

    /// All that an answer offers: several in one line, or in more than one.
    static func all(in headers: HTTPHeaders) -> [HTTPChallenge] {
        headers.fields.filter { HTTPHeaders.isSame($0.name, "WWW-Authenticate") }.flatMap { parse($0.value) }
    }

    private static func parse(_ value: String) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        for item in items(of: value) {
            var rest = item[...]
            if let scheme = scheme(of: item) {
                challenges.append(HTTPChallenge(scheme: scheme.lowercased(), parameters: [:]))
                rest = rest.dropFirst(scheme.count).drop(while: \.isWhitespace)
            }
            guard !challenges.isEmpty, let equals = rest.firstIndex(of: "=") else { continue }
            let name = rest[..<equals].filter { !$0.isWhitespace }.lowercased()
            challenges[challenges.count - 1].parameters[name] = unquoted(rest[rest.index(after: equals)...])
        }
        return challenges
    }

    /// The word that an item begins with, when it opens another challenge: one before a blank, or the only one.
    private static func scheme(of item: String) -> String? {
        let word = item.prefix { !$0.isWhitespace && $0 != "=" }
        let rest = item.dropFirst(word.count).drop(while: \.isWhitespace)
        return rest.first == "=" || word.isEmpty ? nil : String(word)
    }

    /// What stands between commas that are not in quotes.
    private static func items(of value: String) -> [String] {
        var items = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in value {
            if character == ",", !isQuoted {
                items.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            items[items.count - 1].append(character)
        }
        return items.map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
    }

    private static func unquoted(_ text: Substring) -> String {
        let trimmed = String(text).trimmingBlanks()
        guard trimmed.hasPrefix("\""), trimmed.hasSuffix("\""), trimmed.count >= 2 else { return trimmed }
        return String(trimmed.dropFirst().dropLast())
    }
}

extension String {
    fileprivate func trimmingBlanks() -> String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text.drop(while: \.isWhitespace))
    }
}
