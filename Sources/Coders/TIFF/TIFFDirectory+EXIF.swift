import WebImageCore
import WebImageFoundation

// EXIF lies scattered over a TIFF, since both have one form. The block that others want is a small TIFF of its own.
extension TIFFDirectory {
    /// The directories of EXIF and of the place, and what the first one says of the picture, as one block; `nil` where
    /// there is none of them, and for more bytes than the limit.
    func exif(limits: DecodeLimits) -> Data? {
        let (details, place) = (directory(.exif), directory(.gps))
        let described = Self.descriptions.compactMap(entry).filter(Self.isClassic)
        let byteCount = (details + place + described).reduce(0) { $0 + $1.value.count + Self.entrySize }
        guard byteCount > 0, byteCount <= limits.maxMetadataByteCount else { return nil }
        let start = Self.headerSize
        // How long the first directory is does not depend on where the others are.
        let places = (details.isEmpty ? nil : 0, place.isEmpty ? nil : 0)
        let detailsStart = start + bytes(main(described, places.0, places.1), at: start).count
        let detailsBytes = bytes(details, at: detailsStart)
        let placeStart = detailsStart + detailsBytes.count
        let magic: [UInt8] = byteOrder == .bigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        let main = main(described, places.0.map { _ in detailsStart }, places.1.map { _ in placeStart })
        return Data(
            magic + number(42, 2) + number(start, 4) + bytes(main, at: start) + detailsBytes
                + bytes(place, at: placeStart))
    }

    private static let headerSize = 8
    private static let entrySize = 12
    /// Description, make, model, orientation, resolution, its unit, software, date, artist, copyright.
    private static let descriptions = [270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 33432]
    /// A directory inside a directory, whose offset would lead nowhere.
    private static let interoperability = 40965

    /// Whether a TIFF that is not a BigTIFF has such values.
    private static func isClassic(_ entry: Entry) -> Bool { entry.type <= 13 }

    /// The entries that a tag of the first directory points to, in the types that a classic TIFF has.
    private func directory(_ tag: Tag) -> [Entry] {
        guard let value = self[tag], value.count == 4, let start = ByteReader(value, byteOrder).uint32(0) else {
            return []
        }
        return (entries(at: start) ?? []).filter { Self.isClassic($0) && $0.tag != Self.interoperability }
    }

    /// - Parameters: Where the other directories begin; `nil` for one that is not there.
    private func main(_ described: [Entry], _ detailsStart: Int?, _ placeStart: Int?) -> [Entry] {
        let pointers = [(Tag.exif, detailsStart), (Tag.gps, placeStart)].compactMap { tag, start in
            start.map { Entry(tag: tag.rawValue, type: 4, count: 1, value: Data(number($0, 4))) }
        }
        return (described + pointers).sorted { $0.tag < $1.tag }
    }

    /// A directory and, behind it, the values that do not fit in it; nothing of no entries.
    private func bytes(_ entries: [Entry], at start: Int) -> [UInt8] {
        if entries.isEmpty { return [] }
        var table = number(entries.count, 2)
        var values: [UInt8] = []
        let valuesStart = start + 2 + entries.count * Self.entrySize + 4
        for entry in entries {
            table += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            if entry.value.count <= 4 {
                table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                table += number(valuesStart + values.count, 4)
                values += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
            }
        }
        return table + number(0, 4) + values
    }

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return byteOrder == .bigEndian ? bytes.reversed() : bytes
    }
}
