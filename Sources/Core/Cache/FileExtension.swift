/// The ending that a file on disk gets from its key, so that other programs know what it is.
enum FileExtension {
    /// What a name of 255 bytes has left beside 32 of the digest and the dot.
    private static let maxByteCount = 222

    /// The path extension of a URL or a path, percent-decoded; empty where it has none or cannot end a file's name.
    static func of(_ base: String) -> String {
        guard !base.utf8.prefix(5).elementsEqual("data:".utf8) else { return "" }
        var name = path(base[...])
        while name.utf8.last == UInt8(ascii: "/") { name.removeLast() }
        if let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) { name = name[name.utf8.index(after: slash)...] }
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return "" }
        // "..": the dot before the last belongs to no name.
        guard name[..<dot].utf8.contains(where: { $0 != UInt8(ascii: ".") }) else { return "" }
        return cleaned(decoded(name[name.utf8.index(after: dot)...]))
    }

    /// Where the extension stands in a base as most are, with nothing to decode or to leave out: the same bytes as
    /// `of` gives. Elsewhere `nil`, which tells nothing. Every look-up on disk asks.
    static func plain(_ base: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var (slash, dot, end) = (0, 0, base.count)
        for place in base.indices {
            let byte = unsafe base[place]
            if byte == UInt8(ascii: "/") { slash = place }
            if byte == UInt8(ascii: ".") { dot = place }
            guard byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") else { continue }
            end = place
            break
        }
        // A slash after another may be that before a host's name; only "data:" begins with a "d" and has no path.
        guard slash > 0, dot > slash + 1, (1...maxByteCount).contains(end - dot - 1),
            unsafe base[slash - 1] != UInt8(ascii: "/"), unsafe base[dot - 1] != UInt8(ascii: "."),
            unsafe base[0] != UInt8(ascii: "d")
        else { return nil }
        let place = dot + 1..<end
        return unsafe base[place].allSatisfy(isLetterOrDigit) ? place : nil
    }

    /// What is between the authority and the query.
    private static func path(_ text: Substring) -> Substring {
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let path = text[..<(end ?? text.endIndex)]
        guard let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")),
            path[colon...].utf8.starts(with: "://".utf8), !path[..<colon].utf8.contains(UInt8(ascii: "/"))
        else { return path }
        let authority = path[colon...].utf8.dropFirst(3)
        guard let slash = authority.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        return path[slash...]
    }

    /// Without percent signs; as it is where that gives no UTF-8.
    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(Substring(rest.prefix(2)))
            guard byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.utf8.allSatisfy(isHexadecimal),
                let value = UInt8(digits, radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    /// Without what no name may hold; empty where a space shows that it was none, or it is too long.
    private static func cleaned(_ text: String) -> String {
        // So are nearly all.
        if text.utf8.count <= maxByteCount, text.utf8.allSatisfy(isLetterOrDigit) { return text }
        let result = String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\u{7F}" && $0 != ":" && $0 != "/" }))
        return result.contains(" ") || result.utf8.count > maxByteCount ? "" : result
    }
}
