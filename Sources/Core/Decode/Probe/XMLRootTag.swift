package import WebImageFoundation

/// Where the start tag of an XML file's root element ends (XML 1.0, 2.8 and 3.1). What is before it is passed over.
package enum XMLRootTag: Sendable, Hashable {
    /// So many bytes lie before its `>`, or before its `/>`.
    case ends(Int)
    /// More bytes may bring its end.
    case isCut
    /// There is something else, or no end within the first megabyte.
    case missing

    private static let maxByteCount = 1 << 20

    /// Of a file's first bytes.
    package init(in prefix: Data) {
        var scan = Scan(bytes: [UInt8](prefix.prefix(Self.maxByteCount)))
        let outcome = scan.rootTag()
        self = outcome == .isCut && prefix.count >= Self.maxByteCount ? .missing : outcome
    }

    /// Where it has come to; `nil` answers mean that the bytes end before what was looked for.
    private struct Scan {
        let bytes: [UInt8]
        var offset = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        }

        mutating func rootTag() -> XMLRootTag {
            while true {
                while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
                guard offset < bytes.count else { return .isCut }
                guard has("<") else { return .missing }
                if has("<?") || has("<!") {
                    guard skipMarkup() else { return .isCut }
                    continue
                }
                guard !has("</") else { return .missing }
                guard skipTag() else { return .isCut }
                let isEmpty = bytes[offset - 2] == UInt8(ascii: "/")
                return .ends(offset - (isEmpty ? 2 : 1))
            }
        }

        private func has(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { unsafe bytes[offset...].starts(with: $0) }
        }

        /// Goes behind the next place of the text.
        private mutating func skip(behind text: StaticString) -> Bool {
            while offset < bytes.count {
                if has(text) {
                    offset += text.utf8CodeUnitCount
                    return true
                }
                offset += 1
            }
            return false
        }

        /// A processing instruction, a comment, or a document type with the declarations inside it.
        private mutating func skipMarkup() -> Bool {
            if has("<!--") {
                offset += 4
                return skip(behind: "-->")
            }
            return has("<?") ? skip(behind: "?>") : skipDocumentType()
        }

        private mutating func skipDocumentType() -> Bool {
            var depth = 0
            offset += 2
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard skipQuoted() else { return false }
                    continue
                case UInt8(ascii: "<") where has("<!--") || has("<?"):
                    guard skipMarkup() else { return false }
                    continue
                case UInt8(ascii: ">") where depth <= 0:
                    offset += 1
                    return true
                default: break
                }
                offset += 1
            }
            return false
        }

        private mutating func skipTag() -> Bool {
            offset += 1
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard skipQuoted() else { return false }
                case UInt8(ascii: ">"):
                    offset += 1
                    return true
                default: offset += 1
                }
            }
            return false
        }

        private mutating func skipQuoted() -> Bool {
            guard let end = bytes[(offset + 1)...].firstIndex(of: bytes[offset]) else { return false }
            offset = end + 1
            return true
        }
    }
}
