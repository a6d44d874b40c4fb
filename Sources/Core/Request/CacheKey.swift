public import WebImagePixels

/// What a picture is filed under in every cache: where it is from, and all that changes its pixels.
///
/// Two keys are equal when their texts have the same bytes; `é` written as one or as two code points is two keys.
///
/// The text is the base and after it, for each fragment, `-` and the fragment, such as
/// `https://h/a.png-Thumbnail({100.0,50.0},1)`. It says exactly one thing, because
/// - a fragment is `Name(arguments)`: a name without `-`, `(` and `)`, and arguments whose parentheses balance;
/// - what is not of this form, or is named `Key`, is written as `Key(…)` with `%`, `(` and `)` as `%25`, `%28`, `%29`;
/// - a base that ends in `)` gets `-()` after it.
///
/// So fragments can be taken off from the right one by one, and what is left is the base.
public struct CacheKey: Sendable {
    /// The whole key as one text; its MD5 names the file on disk.
    public let text: String
    /// Of the text's bytes; a key is looked up more often than made.
    let hash: Int
    /// What the text is made of; `nil` where it is the base alone, as of most: then a copy counts one reference.
    private let parts: Parts?

    private final class Parts: Sendable {
        let base: String
        let fragments: [String]

        init(_ base: String, _ fragments: [String]) {
            self.base = base
            self.fragments = fragments
        }
    }

    /// The answer of the key filter, or the URL's exact spelling.
    public var base: String { parts?.base ?? text }
    /// What was done to the picture, in order, as given.
    public var fragments: [String] { parts?.fragments ?? [] }

    /// A key for the picture at `base` after all that `fragments` say, in order.
    public init(_ base: String, fragments: [String] = []) {
        var text = base
        let (hash, isEnded) = text.withUTF8 { bytes in
            unsafe (ByteHash.hash(of: bytes), bytes.last == UInt8(ascii: ")"))
        }
        guard isEnded || !fragments.isEmpty else {
            self.init(text: text, hash: hash, parts: nil)
            return
        }
        if isEnded { text += "-()" }
        for fragment in fragments { text += "-" + Self.written(fragment) }
        self.init(text, Parts(base, fragments))
    }

    private init(_ text: String, _ parts: Parts) {
        var text = text
        let hash = text.withUTF8 { unsafe ByteHash.hash(of: $0) }
        self.init(text: text, hash: hash, parts: parts)
    }

    private init(text: String, hash: Int, parts: Parts?) {
        self.text = text
        self.hash = hash
        self.parts = parts
    }

    /// The key of the same picture with one thing more done to it.
    public func appending(_ fragment: String) -> CacheKey {
        CacheKey(text + "-" + Self.written(fragment), Parts(base, fragments + [fragment]))
    }

    /// Whether this is the key given, or that of something made of its picture.
    func isVariant(of original: CacheKey) -> Bool {
        base.utf8.elementsEqual(original.base.utf8)
            && fragments.starts(with: original.fragments) { $0.utf8.elementsEqual($1.utf8) }
    }

    /// The fragment of a picture decoded into `size`, such as `Thumbnail({100.0,50.0},1)`.
    ///
    /// Numbers are written as the shortest text that reads back as the same number; −0 is 0.
    public static func thumbnailFragment(size: ImageSize, preservesAspectRatio: Bool) -> String {
        // Adding 0 turns −0 into 0 and changes nothing else.
        "Thumbnail({\(size.width + 0),\(size.height + 0)},\(preservesAspectRatio ? 1 : 0))"
    }

    /// The fragment of a picture of which only a part was decoded, such as `Region({10,20},{300,200})`: corner, size.
    public static func regionFragment(_ rect: PixelRect) -> String {
        "Region({\(rect.x),\(rect.y)},{\(rect.width),\(rect.height)})"
    }

    /// The fragment of a picture decoded within a number of bytes, such as `ScaleDown(62914560)`.
    public static func scaleDownFragment(byteLimit: Int) -> String { "ScaleDown(\(byteLimit))" }

    /// The fragment of an animation taken for its first frame.
    public static let firstFrameFragment = "FirstFrame(1)"
}

extension CacheKey: Hashable {
    /// Whether the texts have the same bytes; `String` itself would take canonically equivalent spellings for one.
    public static func == (first: CacheKey, second: CacheKey) -> Bool {
        first.hash == second.hash && first.hasText(second.text)
    }

    /// Feeds a hash of the text's bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension CacheKey {
    /// Whether a text has the bytes of this key's; eight at a time, for it is asked at every hit.
    func hasText(_ other: String) -> Bool {
        let isEqual = unsafe text.utf8.withContiguousStorageIfAvailable { first in
            unsafe other.utf8.withContiguousStorageIfAvailable { second in
                unsafe Self.areEqual(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
            }
        }
        return (isEqual ?? nil) ?? text.utf8.elementsEqual(other.utf8)
    }

    /// The same for a text's bytes.
    func hasText(_ other: UnsafeRawBufferPointer) -> Bool {
        let isEqual = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe Self.areEqual(UnsafeRawBufferPointer($0), other)
        }
        return unsafe isEqual ?? text.utf8.elementsEqual(other)
    }

    private static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        let count = first.count
        guard count == second.count else { return false }
        // A key that was kept since it was stored.
        if unsafe first.baseAddress == second.baseAddress { return true }
        var place = 0
        while place <= count - 8 {
            let one = unsafe first.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let other = unsafe second.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if one != other { return false }
            place += 8
        }
        while place < count {
            if unsafe first[place] != second[place] { return false }
            place += 1
        }
        return true
    }
}

extension CacheKey: ExpressibleByStringLiteral {
    /// A key whose base is the literal.
    public init(stringLiteral base: String) {
        self.init(base)
    }
}

extension CacheKey: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension CacheKey {
    /// A fragment as it stands in the text.
    private static func written(_ fragment: String) -> String {
        isCanonical(fragment) ? fragment : "Key(" + escaped(fragment) + ")"
    }

    /// Whether a fragment is `Name(arguments)` with balanced parentheses that close at the very end, and no `Key`.
    private static func isCanonical(_ fragment: String) -> Bool {
        let bytes = fragment.utf8
        guard let opening = bytes.firstIndex(of: UInt8(ascii: "(")), opening != bytes.startIndex else { return false }
        let name = bytes[..<opening]
        let isPlain = !name.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ")") }
        guard isPlain, !name.elementsEqual("Key".utf8) else { return false }
        return closes(bytes[opening...])
    }

    /// Whether the first parenthesis is closed by the last byte and not before.
    private static func closes(_ bytes: Substring.UTF8View) -> Bool {
        var depth = 0
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return rest.isEmpty }
        }
        return false
    }

    /// A text without parentheses of its own, and no two alike that were not.
    package static func escaped(_ fragment: String) -> String {
        var bytes: [UInt8] = []
        for byte in fragment.utf8 {
            switch byte {
            case UInt8(ascii: "%"): bytes += "%25".utf8
            case UInt8(ascii: "("): bytes += "%28".utf8
            case UInt8(ascii: ")"): bytes += "%29".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
