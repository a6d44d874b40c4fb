import WebImage
import WebImageFoundation

/// One picture that the user named: by URL, or by path.
struct PictureSource: Sendable {
    /// As it was given.
    let text: String
    /// `nil` for a text that is no URL.
    let url: URL?

    init(_ text: String) {
        self.text = text
        url = Self.isURL(text) ? ImageRequest(text).url : URL(filePath: text, directoryHint: .notDirectory)
    }

    /// The URL, or the one error of a text that is none.
    func requiredURL() throws(ImageError) -> URL {
        if let url { return url }
        throw ImageError(.invalidURL, .request, "this is not a valid URL; percent-encode what is special in it")
    }

    /// Where the bytes came from, as the user sees it: a local file was on a disk and a `data:` URL in memory.
    func origin(_ source: LoadSource) -> LoadSource {
        guard source == .network, let scheme = url?.scheme?.lowercased() else { return source }
        return scheme == "file" ? .disk : scheme == "data" ? .memory : source
    }

    /// Whether a text begins as a URL does. `data:` and `file:` stand alone, all others have `//` after the scheme.
    static func isURL(_ text: String) -> Bool {
        let lowercased = text.prefix(8).lowercased()
        if lowercased.hasPrefix("data:") || lowercased.hasPrefix("file:") { return true }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), colon != text.startIndex else {
            return false
        }
        return text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    /// A text as a line of a terminal shows it: no password, no long contents, nothing that moves the cursor.
    static func displayName(_ text: String) -> String {
        let shown = text.prefix(5).lowercased() == "data:" && text.count > 60 ? text.prefix(60) + "…" : text[...]
        return String(withoutPassword(shown)).printable
    }

    private static func withoutPassword(_ text: Substring) -> Substring {
        guard text.utf8.contains(UInt8(ascii: "@")), let start = text.firstRange(of: "://")?.upperBound else {
            return text
        }
        let authority = text[start...].prefix { !"/?#".contains($0) }
        guard let sign = authority.lastIndex(of: "@") else { return text }
        return text[..<start] + text[text.index(after: sign)...]
    }
}
