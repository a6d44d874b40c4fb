import WebImage
import WebImageFoundation

/// What a picture's file is called: the last part of its URL, made harmless, with the ending of its format.
struct OutputName: Sendable {
    private let stem: String
    /// As in the URL, where that names a picture format.
    private let ending: String?

    /// In bytes, so that a name fits every file system with something to spare.
    private static let maxByteCount = 200

    init(_ url: URL?) {
        let name = Self.harmless(url.map(Self.lastPart) ?? "")
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = name[dot...].dropFirst()
        let isKnown = dot != name.startIndex && ImageFormat(fileExtension: String(suffix)) != nil
        stem = isKnown ? String(name[..<dot]) : name
        ending = isKnown ? String(suffix) : nil
    }

    /// The name for a picture of a format; the second of this name is told from the first by `-2`, and so on.
    func text(_ format: ImageFormat?, ordinal: Int = 1) -> String {
        var tail = ordinal > 1 ? "-\(ordinal)" : ""
        if let ending = ending(of: format) { tail += "." + ending }
        return stem.prefix(utf8Count: Self.maxByteCount - tail.utf8.count) + tail
    }

    private func ending(of format: ImageFormat?) -> String? {
        guard let format else { return ending }
        if let ending, ImageFormat(fileExtension: ending) == format { return ending }
        return format == .jpeg ? "jpg" : format.rawValue
    }

    /// Percent escapes undone only after the path was taken apart: an escaped slash is no separator.
    private static func lastPart(_ url: URL) -> String {
        guard url.scheme?.lowercased() != "data" else { return "" }
        let part = url.path(percentEncoded: true).split(separator: "/").last ?? ""
        return percentDecoded(part)
    }

    private static func percentDecoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            if isEscape, let value = String(digits).flatMap({ UInt8($0, radix: 16) }) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// No slash, no control character, and no dot or dash at the front: neither hidden, nor a way up, nor an option.
    private static func harmless(_ text: String) -> String {
        var name = text.printable
        name = String(name.map { "/\\:\u{FFFD}".contains($0) ? "_" : $0 })
        let visible = name.drop { $0 == "." || $0 == "-" || $0.isWhitespace }
        return visible.isEmpty ? "picture" : String(visible)
    }
}

extension String {
    /// As many whole characters as fit into so many bytes.
    fileprivate func prefix(utf8Count: Int) -> Substring {
        var end = startIndex
        var count = 0
        for index in indices {
            count += self[index].utf8.count
            if count > utf8Count { break }
            end = self.index(after: index)
        }
        return self[..<end]
    }
}
