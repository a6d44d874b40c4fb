import WebImageCore
import WebImageFoundation

/// A directory of a file: what libtiff does not tell, or not as raw bytes.
struct TIFFDirectory {
    /// A tag that this module asks for.
    enum Tag: Int {
        case photometric = 262
        case palette = 320
        case extraSamples = 338
        case xmp = 700
        case iptc = 33723
        case colorProfile = 34675
        /// Where a directory of EXIF lies.
        case exif = 34665
        /// Where a directory of the place lies.
        case gps = 34853
    }

    /// One line of a directory.
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// As it lies in the file, in the file's byte order.
        let value: Data
    }

    /// In the file's byte order.
    let reader: ByteReader
    let byteOrder: ByteReader.ByteOrder
    /// Where it begins in the file.
    private(set) var offset = 0
    private let isBig: Bool
    private var entries: [Int: Entry] = [:]

    /// The first of a file; `nil` for bytes without one.
    init?(_ data: Data) {
        guard let first = data.first else { return nil }
        byteOrder = first == 0x4D ? .bigEndian : .littleEndian
        reader = ByteReader(data, byteOrder)
        isBig = reader.uint16(2) == 43
        guard let start = isBig ? uint64(8) : reader.uint32(4) else { return nil }
        guard read(at: start) else { return nil }
    }

    /// Another one of the same file; `nil` where there is none.
    func directory(at offset: Int) -> TIFFDirectory? {
        var other = self
        return other.read(at: offset) ? other : nil
    }

    /// Entries that point outside of the file are left out.
    private mutating func read(at start: Int) -> Bool {
        guard let all = entries(at: start) else { return false }
        // Where a tag stands twice, the first one counts.
        entries = Dictionary(all.map { ($0.tag, $0) }) { first, _ in first }
        offset = start
        return true
    }

    func has(_ tag: Tag) -> Bool { entries[tag.rawValue] != nil }

    /// Whether its samples are said to be places in a palette.
    var isPalettePicture: Bool {
        self[.photometric].flatMap { ByteReader($0, byteOrder).uint16(0) } == 3
    }

    /// The bytes of a tag as they lie in the file.
    subscript(_ tag: Tag) -> Data? { entries[tag.rawValue]?.value }

    /// The entry with a number.
    func entry(_ number: Int) -> Entry? { entries[number] }

    /// The blocks that fit in the limit together.
    func metadata(limits: DecodeLimits) -> ImageMetadata {
        ImageMetadata(
            colorProfile: self[.colorProfile], exif: exif(limits: limits), xmp: self[.xmp], iptc: self[.iptc],
            limits: limits)
    }

    /// The entries of a directory; `nil` where there is none.
    func entries(at start: Int) -> [Entry]? {
        guard let count = entryCount(at: start) else { return nil }
        var entries: [Entry] = []
        for index in 0..<min(count, Self.maxEntryCount) {
            let offset = start + headSize + index * entrySize
            guard let tag = reader.uint16(offset) else { break }
            if let entry = entry(tag, at: offset) { entries.append(entry) }
        }
        return entries
    }

    /// How many entries a directory says it has; `nil` where there is none.
    private func entryCount(at start: Int) -> Int? {
        guard start <= reader.count else { return nil }
        return isBig ? uint64(start) : reader.uint16(start)
    }

    private var headSize: Int { isBig ? 8 : 2 }
    private var entrySize: Int { isBig ? 20 : 12 }

    private func entry(_ tag: Int, at offset: Int) -> Entry? {
        guard let type = reader.uint16(offset + 2), let size = Self.sizes[type],
            let count = isBig ? uint64(offset + 4) : reader.uint32(offset + 4), count <= reader.count
        else { return nil }
        let field = offset + (isBig ? 12 : 8)
        let byteCount = count * size
        var place: Int? = field
        if byteCount > (isBig ? 8 : 4) { place = isBig ? uint64(field) : reader.uint32(field) }
        guard let place, let value = reader.bytes(place, count: byteCount) else { return nil }
        return Entry(tag: tag, type: type, count: count, value: value)
    }

    /// `nil` also for numbers that no file is long enough for.
    private func uint64(_ offset: Int) -> Int? {
        guard let first = reader.uint32(offset), let second = reader.uint32(offset + 4) else { return nil }
        let (high, low) = byteOrder == .bigEndian ? (first, second) : (second, first)
        return high < 1 << 24 ? high << 32 | low : nil
    }

    // MARK: Pages

    /// Where the directories of the pages begin, this one first. Those that say that they are a smaller copy or a mask
    /// of another (bits 0 and 2 of tag 254, which stands first) are none.
    ///
    /// - Parameter limit: After so many directories no more are looked for.
    func pageOffsets(atMost limit: Int) -> [Int] {
        var (pages, seen, last) = ([offset], Set([offset]), offset)
        while seen.count < limit, let next = nextOffset(after: last), seen.insert(next).inserted {
            last = next
            let first = reader.uint16(next + headSize) == 254 ? entry(254, at: next + headSize) : nil
            let kind = first.flatMap { ByteReader($0.value, byteOrder).uint32(0) } ?? 0
            if kind & 0b101 == 0 { pages.append(next) }
        }
        return pages
    }

    /// `nil` behind the last one, and where the file ends before the next.
    private func nextOffset(after start: Int) -> Int? {
        guard let count = entryCount(at: start), count <= reader.count / entrySize else { return nil }
        let place = start + headSize + count * entrySize
        guard let next = isBig ? uint64(place) : reader.uint32(place), next != 0 else { return nil }
        return entryCount(at: next).map { $0 > 0 } == true ? next : nil
    }

    private static let maxEntryCount = 4096

    /// The bytes that one value of a type takes.
    private static let sizes: [Int: Int] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]
}
