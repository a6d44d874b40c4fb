import WebImageFoundation

/// Changes an EXIF block in place: whatever stays, stays at its offset, so that maker notes, which hold offsets of
/// their own, are still good.
struct EXIFEditor {
    /// The block, without the `Exif` prefix.
    private(set) var data: Data
    private let byteOrder: ByteReader.ByteOrder
    private let imageOffset: Int

    /// `nil` for bytes that are no TIFF structure with a whole first directory.
    init?(_ block: Data) {
        let prefix = "Exif\0\0"
        let hasPrefix = ByteReader(block, .bigEndian).has(prefix, at: 0)
        data = Data(hasPrefix ? block.dropFirst(prefix.utf8.count) : block)
        byteOrder = data.first == 0x49 ? .littleEndian : .bigEndian
        guard let reader = ByteReader(tiff: data), let offset = reader.uint32(4),
            TIFFDirectory(reader, at: offset) != nil
        else { return nil }
        imageOffset = offset
    }

    private var reader: ByteReader { ByteReader(data, byteOrder) }

    /// Takes out the small picture, which shows what the large one was before it was cut or painted over.
    mutating func removeThumbnail() {
        guard let image = TIFFDirectory(reader, at: imageOffset), image.next != 0 else { return }
        if let thumbnail = TIFFDirectory(reader, at: image.next) {
            var ranges = Self.ranges(of: thumbnail)
            for (start, count) in [(0x0201, 0x0202), (0x0111, 0x0117)] {
                ranges += pictureRanges(in: thumbnail, offsets: start, counts: count)
            }
            clear(ranges)
        }
        write(0, at: image.end - 4, byteCount: 4)
    }

    /// Takes out where the picture was taken: the GPS directory, and XMP and IPTC that stand inside the block and may
    /// say it as well. Maker notes are left, whatever they hold.
    mutating func removeLocation() {
        let reader = reader
        guard let image = TIFFDirectory(reader, at: imageOffset) else { return }
        var offsets = [imageOffset]
        if let entry = image[Tag.exif], let offset = reader.uint32(entry.valueOffset) { offsets.append(offset) }
        let directories = offsets.compactMap { TIFFDirectory(reader, at: $0) }
        // More than a few are an attack: what is not cleared is at least not reachable any more.
        let gps = directories.flatMap(\.entries).lazy.filter { $0.tag == Tag.gps }.prefix(4)
            .compactMap { reader.uint32($0.valueOffset) }.compactMap { TIFFDirectory(reader, at: $0) }
        let other = directories.flatMap(\.entries).filter { Tag.packets.contains($0.tag) }.map(\.valueRange)
        clear(gps.flatMap(Self.ranges) + other)
        for offset in offsets { removeEntries(of: Tag.packets.union([Tag.gps]), at: offset) }
    }

    /// Says that the pixels stand upright.
    mutating func resetOrientation() {
        for entry in TIFFDirectory(reader, at: imageOffset)?.entries ?? [] where entry.tag == Tag.orientation {
            writeInteger(1, to: entry)
        }
    }

    /// Says that the pixels are sRGB, where anything is said about it.
    mutating func resetColorSpace() {
        let reader = reader
        guard let image = TIFFDirectory(reader, at: imageOffset), let pointer = image[Tag.exif],
            let offset = reader.uint32(pointer.valueOffset), let exif = TIFFDirectory(reader, at: offset),
            let entry = exif[Tag.colorSpace]
        else { return }
        writeInteger(1, to: entry)
    }

    private enum Tag {
        static let orientation = 0x0112
        static let exif = 0x8769
        static let gps = 0x8825
        static let colorSpace = 0xA001
        /// XMP, IPTC and Photoshop's blocks.
        static let packets: Set<Int> = [0x02BC, 0x83BB, 0x8649]
    }

    // MARK: Bytes

    private static func ranges(of directory: TIFFDirectory) -> [Range<Int>] {
        [directory.offset..<directory.end] + directory.entries.map(\.valueRange)
    }

    /// Where strips, or a whole JPEG, lie.
    private func pictureRanges(in directory: TIFFDirectory, offsets: Int, counts: Int) -> [Range<Int>] {
        guard let starts = directory[offsets], let lengths = directory[counts] else { return [] }
        let reader = reader
        func number(_ entry: TIFFDirectory.Entry, _ index: Int) -> Int? {
            entry.type == 3
                ? reader.uint16(entry.valueOffset + index * 2) : reader.uint32(entry.valueOffset + index * 4)
        }
        return (0..<min(starts.count, lengths.count, 4096)).compactMap { index in
            guard let start = number(starts, index), let length = number(lengths, index) else { return nil }
            return start..<start + length
        }
    }

    /// Each byte once, however many ranges hold it.
    private mutating func clear(_ ranges: [Range<Int>]) {
        var cleared = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = max(range.lowerBound, cleared)
            let end = min(range.upperBound, data.count)
            guard start < end else { continue }
            data.resetBytes(in: start..<end)
            cleared = end
        }
    }

    private mutating func removeEntries(of tags: Set<Int>, at offset: Int) {
        let reader = reader
        guard let directory = TIFFDirectory(reader, at: offset), let count = reader.uint16(offset) else { return }
        var kept = Data()
        for index in 0..<count {
            let start = offset + 2 + index * 12
            guard let tag = reader.uint16(start), let entry = reader.bytes(start, count: 12) else { return }
            if !tags.contains(tag) { kept.append(entry) }
        }
        let keptCount = kept.count / 12
        guard keptCount < count else { return }
        kept.append(reader.bytes(directory.end - 4, count: 4) ?? Data())
        let end = min(directory.end, data.count)
        kept.append(Data(count: max(0, end - offset - 2 - kept.count)))
        data.replaceSubrange(offset + 2..<offset + 2 + kept.count, with: kept)
        write(keptCount, at: offset, byteCount: 2)
    }

    private mutating func writeInteger(_ number: Int, to entry: TIFFDirectory.Entry) {
        switch entry.type {
        case 3 where entry.count > 0: write(number, at: entry.valueOffset, byteCount: 2)
        case 4 where entry.count > 0: write(number, at: entry.valueOffset, byteCount: 4)
        default: break
        }
    }

    private mutating func write(_ number: Int, at offset: Int, byteCount: Int) {
        guard offset >= 0, offset <= data.count - byteCount else { return }
        for index in 0..<byteCount {
            let place = byteOrder == .littleEndian ? index : byteCount - 1 - index
            data[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * place))
        }
    }
}

extension TIFFDirectory.Entry {
    fileprivate var valueRange: Range<Int> { valueOffset..<valueOffset + byteCount }
}
