import WebImageFoundation

/// Reads a small XML document in UTF-8 into elements: as much of XML as XMP needs. No document type, no entity but the
/// five of XML and numbers, nothing from outside; at most 1 MiB, 64 levels and 256 namespaces.
struct XMLParser {
    static let maxByteCount = 1 << 20
    private static let maxDepth = 64
    private static let maxNamespaceCount = 256

    private let bytes: [UInt8]
    private var offset = 0
    private var namespaceCount = 0

    private struct Malformed: Error {}

    /// The root of a document; `nil` for anything that is not well formed or over a limit.
    static func root(of document: Data) -> XMLElement? {
        guard document.count <= maxByteCount else { return nil }
        let bytes = [UInt8](document)
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var parser = XMLParser(bytes: bytes)
        return try? parser.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Structure

    private mutating func document() throws(Malformed) -> XMLElement {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        var root: XMLElement?
        while true {
            skipSpace()
            // Some writers leave zeros behind the packet.
            while root != nil, byte() == 0 { offset += 1 }
            guard byte() != nil else { break }
            if try skipMarkup() { continue }
            guard root == nil, byte() == UInt8(ascii: "<") else { throw Malformed() }
            root = try element(namespaces: ["xml": "http://www.w3.org/XML/1998/namespace"], depth: 1)
        }
        guard let root else { throw Malformed() }
        return root
    }

    private mutating func element(namespaces outer: [String: String], depth: Int) throws(Malformed) -> XMLElement {
        guard depth <= Self.maxDepth else { throw Malformed() }
        let start = offset
        offset += 1
        let tag = try name()
        let (raw, isEmpty) = try attributes()
        var namespaces = outer
        for attribute in raw {
            guard let prefix = Self.declaredPrefix(attribute.name) else { continue }
            namespaceCount += 1
            guard namespaceCount <= Self.maxNamespaceCount else { throw Malformed() }
            namespaces[prefix] = attribute.value
        }
        var element = XMLElement(name: Self.resolved(tag, namespaces, isAttribute: false), range: start..<start)
        element.attributes = raw.filter { Self.declaredPrefix($0.name) == nil }.map { attribute in
            XMLElement.Attribute(
                name: Self.resolved(attribute.name, namespaces, isAttribute: true), value: attribute.value,
                range: attribute.range)
        }
        if !isEmpty { try readContent(of: &element, named: tag, namespaces, depth) }
        element.range = start..<offset
        return element
    }

    private mutating func readContent(
        of element: inout XMLElement, named tag: String, _ namespaces: [String: String], _ depth: Int
    ) throws(Malformed) {
        while true {
            element.text += try text(upTo: UInt8(ascii: "<"))
            if starts(with: "</") {
                offset += 2
                guard try name() == tag else { throw Malformed() }
                skipSpace()
                return try take(">")
            }
            if starts(with: "<![CDATA[") {
                element.text += try String(decoding: bytes[skip("<![CDATA[", to: "]]>")], as: UTF8.self)
            } else if try !skipMarkup() {
                element.children.append(try self.element(namespaces: namespaces, depth: depth + 1))
            }
        }
    }

    private typealias RawAttribute = (name: String, value: String, range: Range<Int>)

    /// Everything up to the end of a start tag, and whether the element ends with it.
    private mutating func attributes() throws(Malformed) -> ([RawAttribute], isEmpty: Bool) {
        var found: [RawAttribute] = []
        while true {
            let start = offset
            skipSpace()
            if starts(with: "/>") {
                offset += 2
                return (found, true)
            }
            if byte() == UInt8(ascii: ">") {
                offset += 1
                return (found, false)
            }
            guard offset > start else { throw Malformed() }
            let name = try name()
            skipSpace()
            try take("=")
            skipSpace()
            guard let quote = byte(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw Malformed()
            }
            offset += 1
            let value = try text(upTo: quote)
            offset += 1
            found.append((name, value, start..<offset))
        }
    }

    /// Passes over a comment or a processing instruction; `false` when there is none.
    private mutating func skipMarkup() throws(Malformed) -> Bool {
        if starts(with: "<?") {
            _ = try skip("<?", to: "?>")
        } else if starts(with: "<!--") {
            _ = try skip("<!--", to: "-->")
        } else {
            return false
        }
        return true
    }

    // MARK: Names

    private static func declaredPrefix(_ attribute: String) -> String? {
        if attribute == "xmlns" { return "" }
        return attribute.hasPrefix("xmlns:") ? String(attribute.dropFirst(6)) : nil
    }

    private static func resolved(
        _ name: String, _ namespaces: [String: String], isAttribute: Bool
    ) -> XMLElement.Name {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            return XMLElement.Name(namespace: namespaces[String(parts[0])] ?? "", local: String(parts[1]))
        }
        return XMLElement.Name(namespace: isAttribute ? "" : namespaces[""] ?? "", local: name)
    }

    private mutating func name() throws(Malformed) -> String {
        let start = offset
        while let next = byte(), !Self.endsName(next) { offset += 1 }
        guard offset > start else { throw Malformed() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "<>/='\"&!?".utf8.contains(byte)
    }

    // MARK: Text

    /// The text before a byte, which must come; references are resolved.
    private mutating func text(upTo end: UInt8) throws(Malformed) -> String {
        var result: [UInt8] = []
        while let next = byte(), next != end {
            if next == UInt8(ascii: "&") {
                result += try reference().utf8
            } else {
                guard next != UInt8(ascii: "<") else { throw Malformed() }
                result.append(next)
                offset += 1
            }
        }
        guard byte() != nil else { throw Malformed() }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func reference() throws(Malformed) -> String {
        let start = offset + 1
        guard let end = bytes[start..<min(bytes.count, start + 12)].firstIndex(of: UInt8(ascii: ";")) else {
            throw Malformed()
        }
        offset = end + 1
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { throw Malformed() }
            let isHexadecimal = name.hasPrefix("#x")
            let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
            guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw Malformed() }
            return String(Character(scalar))
        }
    }

    // MARK: Bytes

    private func byte() -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func starts(with text: String) -> Bool {
        bytes[offset...].starts(with: text.utf8)
    }

    private mutating func take(_ text: String) throws(Malformed) {
        guard starts(with: text) else { throw Malformed() }
        offset += text.utf8.count
    }

    private mutating func skipSpace() {
        while let next = byte(), next == 0x20 || next == 0x09 || next == 0x0A || next == 0x0D { offset += 1 }
    }

    /// Passes over what lies between two marks; the answer is where it lies.
    private mutating func skip(_ opening: String, to closing: String) throws(Malformed) -> Range<Int> {
        try take(opening)
        let start = offset
        while !starts(with: closing) {
            guard offset < bytes.count else { throw Malformed() }
            offset += 1
        }
        defer { offset += closing.utf8.count }
        return start..<offset
    }
}
