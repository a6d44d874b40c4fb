import Foundation

/// An EXIF block made by hand: directories one after the other, values behind each.
struct EXIFBlock {
    enum Order: CaseIterable {
        case littleEndian
        case bigEndian
    }

    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        var value: [UInt8]
    }

    private let order: Order
    private(set) var bytes: [UInt8]

    init(_ order: Order) {
        self.order = order
        bytes = order == .littleEndian ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
    }

    var data: Data { Data(bytes) }

    /// Appends a directory; the answer is where it begins.
    @discardableResult
    mutating func append(_ entries: [Entry], next: Int = 0) -> Int {
        let start = bytes.count
        var behind: [UInt8] = []
        bytes += number(entries.count, 2)
        for entry in entries {
            bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += number(start + 2 + entries.count * 12 + 4 + behind.count, 4)
                behind += entry.value
            }
        }
        bytes += number(next, 4) + behind
        return start
    }

    func number(_ value: Int, _ count: Int) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .littleEndian ? little : little.reversed()
    }

    func short(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 3, count: 1, value: number(value, 2)) }
    func long(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 4, count: 1, value: number(value, 4)) }
    func text(_ tag: Int, _ value: String) -> Entry {
        Entry(tag: tag, type: 2, count: value.utf8.count + 1, value: Array(value.utf8) + [0])
    }
    func fractions(_ tag: Int, _ values: [(Int, Int)]) -> Entry {
        Entry(tag: tag, type: 5, count: values.count, value: values.flatMap { number($0.0, 4) + number($0.1, 4) })
    }

    static let thumbnail: [UInt8] = [0xFF, 0xD8, 0xAB, 0xCD, 0xFF, 0xD9]
    static let note: [UInt8] = Array("maker's own bytes".utf8)

    /// A block as a camera writes it: GPS, a thumbnail, and a maker note whose place matters.
    static func camera(_ order: Order, orientation: Int = 6) -> Data {
        // Two rounds, since the first directory says where the others are.
        func block(exif: Int, gps: Int, thumbnail: Int, picture: Int) -> (EXIFBlock, [Int]) {
            var block = EXIFBlock(order)
            block.append(
                [
                    block.text(0x010F, "Maker Inc. "), block.text(0x0110, "M1"), block.short(0x0112, orientation),
                    block.long(0x8769, exif), block.long(0x8825, gps), block.text(0x9999, "last of the first"),
                ], next: thumbnail)
            let exifStart = block.append([
                block.fractions(0x829A, [(1, 250)]), block.text(0x9003, "2026:11:30 09:52:53"),
                Entry(tag: 0x927C, type: 7, count: note.count, value: note),
                block.short(0xA001, 65535), block.long(0xA002, 4000), block.short(0xA003, 3000),
            ])
            let gpsStart = block.append([
                block.text(0x0001, "S"), block.fractions(0x0002, [(48, 1), (30, 1), (3600, 100)]),
                block.text(0x0003, "E"), block.fractions(0x0004, [(11, 1), (0, 1), (0, 1)]),
                Entry(tag: 0x0005, type: 1, count: 1, value: [1]), block.fractions(0x0006, [(5, 2)]),
            ])
            let thumbnailStart = block.append([
                block.short(0x0112, orientation), block.long(0x0201, picture),
                block.long(0x0202, EXIFBlock.thumbnail.count),
            ])
            let pictureStart = block.bytes.count
            block.bytes += EXIFBlock.thumbnail
            return (block, [exifStart, gpsStart, thumbnailStart, pictureStart])
        }
        let starts = block(exif: 0, gps: 0, thumbnail: 0, picture: 0).1
        return block(exif: starts[0], gps: starts[1], thumbnail: starts[2], picture: starts[3]).0.data
    }
}
