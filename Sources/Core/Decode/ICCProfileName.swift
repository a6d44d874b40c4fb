package import WebImageFoundation

/// The description that an ICC colour profile gives of itself (ICC.1:2022, 9.2.41 and 10.15; ICC.1:2001-04, 6.5.17).
package enum ICCProfileName {
    /// The text of the profile's `desc` tag, English where there is a choice; `nil` when there is none to be read.
    package static func name(of profile: Data) -> String? {
        let reader = ByteReader(profile, .bigEndian)
        guard let tag = descriptionTag(in: reader) else { return nil }
        let text = ByteReader(tag, .bigEndian).has("mluc", at: 0) ? localizedText(in: tag) : asciiText(in: tag)
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func descriptionTag(in reader: ByteReader) -> Data? {
        guard let tagCount = reader.uint32(128) else { return nil }
        for index in 0..<tagCount {
            let entry = 132 + index * 12
            guard let offset = reader.uint32(entry + 4), let count = reader.uint32(entry + 8) else { return nil }
            if reader.has("desc", at: entry) { return reader.bytes(offset, count: count) }
        }
        return nil
    }

    /// Version 2: a counted ASCII string, its NUL counted too.
    private static func asciiText(in tag: Data) -> String? {
        let reader = ByteReader(tag, .bigEndian)
        guard reader.has("desc", at: 0), let count = reader.uint32(8), let text = reader.bytes(12, count: count) else {
            return nil
        }
        return String(decoding: text.prefix(longestName).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Version 4: UTF-16 in one or more languages.
    private static func localizedText(in tag: Data) -> String? {
        let reader = ByteReader(tag, .bigEndian)
        guard let recordCount = reader.uint32(8), let recordSize = reader.uint32(12), recordSize >= 12 else {
            return nil
        }
        // Records may overlap, so that a small tag could promise any amount of text: only the chosen one is read.
        var chosen: Int?
        for index in 0..<min(recordCount, mostRecords) {
            let record = 16 + index * recordSize
            guard reader.bytes(record, count: 12) != nil else { break }
            if reader.has("en", at: record) { return text(ofRecord: record, in: reader) }
            chosen = chosen ?? record
        }
        return chosen.flatMap { text(ofRecord: $0, in: reader) }
    }

    /// No profile speaks more languages, or has a longer name, than these.
    private static let mostRecords = 1024
    private static let longestName = 1024

    private static func text(ofRecord record: Int, in reader: ByteReader) -> String? {
        guard let count = reader.uint32(record + 4), let offset = reader.uint32(record + 8),
            let bytes = reader.bytes(offset, count: count)
        else { return nil }
        let text = ByteReader(bytes, .bigEndian)
        let end = min(count, longestName * 2) - 1
        let units = stride(from: 0, to: end, by: 2).compactMap { text.uint16($0).map(UInt16.init) }
        return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    }
}
