import WebImageFoundation

extension HeaderExtent {
    /// Up to the end of the first directory and of the values of its entries, wherever they stand.
    static func tiff(_ prefix: Data) -> HeaderExtent {
        guard prefix.count >= 8 else { return .needs(64) }
        // BigTIFF is left to its coder.
        guard let reader = ByteReader(tiff: prefix), let start = reader.uint32(4) else { return .whole(Known()) }
        guard let entryCount = reader.uint16(start) else { return .needs(start + 2) }
        let end = start + 2 + entryCount * 12 + 4
        guard reader.count >= end else { return .needs(end) }
        let ends = (0..<entryCount).compactMap { endOfValue(in: reader, entry: start + 2 + $0 * 12) }
        let last = ends.max() ?? end
        guard reader.count >= last else { return .needs(last) }
        return .whole(Known(isFinal: reader.uint32(end - 4) == 0))
    }

    private static func endOfValue(in reader: ByteReader, entry: Int) -> Int? {
        guard let type = reader.uint16(entry + 2), let count = reader.uint32(entry + 4),
            let unit = TIFFDirectory.byteCount(ofType: type), count * unit > 4, let offset = reader.uint32(entry + 8)
        else { return nil }
        return offset + count * unit
    }

    /// The two headers, with room for the palette of the older kind.
    static func bitmap(_ reader: ByteReader) -> HeaderExtent {
        guard let size = reader.uint32(14) else { return .needs(64) }
        let end = 14 + min(size, 256)
        return reader.count >= end ? .whole(Known(isFinal: true)) : .needs(end)
    }

    /// The list of pictures. Their own headers tell more, so that it is not final.
    static func icon(_ reader: ByteReader) -> HeaderExtent {
        guard let count = reader.uint16(4) else { return .needs(64) }
        let end = 6 + count * 16
        return reader.count >= end ? .whole(Known()) : .needs(end)
    }
}
