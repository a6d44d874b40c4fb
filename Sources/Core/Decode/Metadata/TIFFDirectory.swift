import WebImageFoundation

/// One directory (IFD) of a TIFF structure: its entries, and where the next one begins.
struct TIFFDirectory: Sendable {
    /// One entry, whose value is read only when it is asked for.
    struct Entry: Sendable, Hashable {
        var tag: Int
        var type: Int
        var count: Int
        /// Where the twelve bytes of the entry begin.
        var offset: Int
        /// Where the value begins: in the entry itself where it fits in four bytes.
        var valueOffset: Int
        var byteCount: Int
    }

    let offset: Int
    let entries: [Entry]
    /// 0 at the end of the chain.
    let next: Int

    /// The offset behind the entries and the offset of the next directory.
    var end: Int { offset + 2 + entryCount * 12 + 4 }

    private let entryCount: Int

    /// `nil` for a directory that is not whole. Entries whose values lie outside, or are of no known type, are left
    /// out.
    init?(_ reader: ByteReader, at offset: Int) {
        guard offset >= 8, let entryCount = reader.uint16(offset),
            reader.bytes(offset + 2, count: entryCount * 12) != nil
        else { return nil }
        self.offset = offset
        self.entryCount = entryCount
        entries = (0..<entryCount).compactMap { Self.entry(in: reader, at: offset + 2 + $0 * 12) }
        // Some writers leave the last four bytes out.
        next = reader.uint32(offset + 2 + entryCount * 12) ?? 0
    }

    /// The first entry of a tag.
    subscript(tag: Int) -> Entry? { entries.first { $0.tag == tag } }

    private static func entry(in reader: ByteReader, at offset: Int) -> Entry? {
        guard let tag = reader.uint16(offset), let type = reader.uint16(offset + 2),
            let count = reader.uint32(offset + 4),
            let unit = byteCount(ofType: type)
        else { return nil }
        // Both are below 2^35.
        let byteCount = count * unit
        guard let start = byteCount <= 4 ? offset + 8 : reader.uint32(offset + 8),
            reader.bytes(start, count: byteCount) != nil
        else { return nil }
        return Entry(tag: tag, type: type, count: count, offset: offset, valueOffset: start, byteCount: byteCount)
    }

    /// TIFF 6.0, section 2; 13 is an offset as the supplements have it.
    static func byteCount(ofType type: Int) -> Int? {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }
}

extension ByteReader {
    /// A reader of a TIFF structure in its own byte order; `nil` when the bytes are none.
    init?(tiff: Data) {
        let order: ByteOrder
        switch (tiff.first, tiff.dropFirst().first) {
        case (0x49, 0x49): order = .littleEndian
        case (0x4D, 0x4D): order = .bigEndian
        default: return nil
        }
        self.init(tiff, order)
        guard uint16(2) == 42 else { return nil }
    }
}
