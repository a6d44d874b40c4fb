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

    /// The two headers, with room for masks behind them, and the profile wherever it stands. Gaps between run lengths,
    /// which are transparent, come later.
    static func bitmap(_ reader: ByteReader) -> HeaderExtent {
        guard let size = reader.uint32(14) else { return .needs(64) }
        var end = 14 + min(size, 256) + 16
        guard reader.count >= end else { return .needs(end) }
        if size >= 124, reader.has("DEBM", at: 70), let place = reader.uint32(126), let count = reader.uint32(130) {
            end = max(end, 14 + place + count)
        }
        let isCompressed = [1, 2].contains(reader.uint32(30))
        return reader.count >= end ? .whole(Known(isFinal: !isCompressed)) : .needs(end)
    }

    /// The list of pictures, and the header of each.
    static func icon(_ reader: ByteReader) -> HeaderExtent {
        guard let count = reader.uint16(4) else { return .needs(64) }
        let listEnd = 6 + count * 16
        guard reader.count >= listEnd else { return .needs(listEnd) }
        let places = (0..<count).compactMap { reader.uint32(18 + $0 * 16) }
        let end = (places.max() ?? 0) + 128
        return reader.count >= end ? .whole(Known(isFinal: true)) : .needs(end)
    }
}
