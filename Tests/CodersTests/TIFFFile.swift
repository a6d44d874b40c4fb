import Foundation
import WebImagePixels

/// An uncompressed TIFF that a test writes by a rule.
struct TIFFFile {
    var size = PixelSize(9, 6)
    /// The value of tag 262.
    var photometric = 2
    var bits = 8
    var samples = 3
    /// The value of tag 339, where it is not left out; of samples of 32 bits and more `sample` gives the bits.
    var sampleFormat: Int?
    var isBigEndian = false
    var isBigTIFF = false
    var isPlanar = false
    var rowsPerStrip = 4
    var tile: PixelSize?
    var orientation: Int?
    var extraSamples: [Int]?
    var palette: [Int] = []
    /// Tags of bytes.
    var blocks: [Int: [UInt8]] = [:]
    /// Tags of text.
    var texts: [Int: String] = [:]
    /// Tags of one number of 32 bits.
    var pointers: [Int: Int] = [:]
    /// What the tags say in place of the truth.
    var lies: [Int: Int] = [:]
    /// The sample of a channel at a place.
    var sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int = { x, y, channel in
        [x * 28, y * 50, (x * 7 + y * 13) % 256, 255 - x * 20][channel]
    }

    var data: Data { Self.data(of: [self]) }

    /// A file of pages, all of the byte order and the kind of the first.
    static func data(of pages: [TIFFFile]) -> Data {
        let first = pages[0]
        var bytes = first.header(directoryAt: 0)
        var starts: [(link: Int, start: Int)] = []
        for page in pages {
            let start = page.append(to: &bytes)
            starts.append((bytes.count - (first.isBigTIFF ? 8 : 4), start))
        }
        for (page, next) in zip(starts, starts.dropFirst()) {
            let link = first.number(next.start, first.isBigTIFF ? 8 : 4)
            bytes.replaceSubrange(page.link..<page.link + link.count, with: link)
        }
        return Data(first.header(directoryAt: starts[0].start) + bytes.dropFirst(first.isBigTIFF ? 16 : 8))
    }

    /// Where the directory of the page begins; the bytes end with its link to the next.
    private func append(to bytes: inout [UInt8]) -> Int {
        let planes = isPlanar ? (0..<samples).map { [$0] } : [Array(0..<samples)]
        let parts = planes.flatMap { channels in tile.map { tiles(of: $0, channels) } ?? strips(channels) }
        var offsets: [Int] = []
        for part in parts {
            offsets.append(bytes.count)
            bytes += part + (part.count % 2 == 1 ? [0] : [])
        }
        let directory = directory(entries(offsets: offsets, counts: parts.map(\.count)), &bytes)
        let start = bytes.count
        bytes += directory
        return start
    }

    private typealias Entry = (tag: Int, type: Int, count: Int, value: [UInt8])

    private func entries(offsets: [Int], counts: [Int]) -> [Entry] {
        let numbers = tags(offsets: offsets, counts: counts).map { tag, values, isShort -> Entry in
            (tag, isShort ? 3 : 4, values.count, values.flatMap { number($0, isShort ? 2 : 4) })
        }
        let blocks = blocks.map { tag, bytes -> Entry in (tag, 7, bytes.count, bytes) }
        let texts = texts.map { tag, text -> Entry in
            let bytes = Array(text.utf8) + [0]
            return (tag, 2, bytes.count, bytes)
        }
        return (numbers + blocks + texts).sorted { $0.tag < $1.tag }
    }

    /// The directory; values that do not fit in it go to the end of `bytes`.
    private func directory(_ entries: [Entry], _ bytes: inout [UInt8]) -> [UInt8] {
        let wordSize = isBigTIFF ? 8 : 4
        var directory = number(entries.count, isBigTIFF ? 8 : 2)
        for (tag, type, count, value) in entries {
            directory += number(tag, 2) + number(type, 2) + number(count, wordSize)
            if value.count <= wordSize {
                directory += value + [UInt8](repeating: 0, count: wordSize - value.count)
            } else {
                directory += number(bytes.count, wordSize)
                bytes += value + (value.count % 2 == 1 ? [0] : [])
            }
        }
        return directory + number(0, wordSize)
    }

    private func header(directoryAt offset: Int) -> [UInt8] {
        let order: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        guard isBigTIFF else { return order + number(42, 2) + number(offset, 4) }
        return order + number(43, 2) + number(8, 2) + number(0, 2) + number(offset, 8)
    }

    private func tags(offsets: [Int], counts: [Int]) -> [(tag: Int, values: [Int], isShort: Bool)] {
        var tags: [(tag: Int, values: [Int], isShort: Bool)] = [
            (256, [size.width], false), (257, [size.height], false),
            (258, Array(repeating: bits, count: samples), true), (259, [1], true), (262, [photometric], true),
            (277, [samples], true), (284, [isPlanar ? 2 : 1], true),
        ]
        if let tile {
            tags += [(322, [tile.width], false), (323, [tile.height], false), (324, offsets, false)]
            tags.append((325, counts, false))
        } else {
            tags += [(273, offsets, false), (278, [rowsPerStrip], false), (279, counts, false)]
        }
        tags += pointers.map { ($0.key, [$0.value], false) }
        if let sampleFormat { tags.append((339, Array(repeating: sampleFormat, count: samples), true)) }
        if let orientation { tags.append((274, [orientation], true)) }
        if let extraSamples { tags.append((338, extraSamples, true)) }
        if !palette.isEmpty { tags.append((320, palette, true)) }
        return tags.map { tag, values, isShort in (tag, lies[tag].map { [$0] } ?? values, isShort) }
    }

    private func strips(_ channels: [Int]) -> [[UInt8]] {
        stride(from: 0, to: size.height, by: rowsPerStrip).map { top in
            (top..<min(top + rowsPerStrip, size.height)).flatMap { row(0..<size.width, $0, channels) }
        }
    }

    private func tiles(of tile: PixelSize, _ channels: [Int]) -> [[UInt8]] {
        stride(from: 0, to: size.height, by: tile.height).flatMap { top in
            stride(from: 0, to: size.width, by: tile.width).map { left in
                (top..<top + tile.height).flatMap { row(left..<left + tile.width, $0, channels) }
            }
        }
    }

    private func row(_ columns: Range<Int>, _ y: Int, _ channels: [Int]) -> [UInt8] {
        let values = columns.flatMap { x in
            channels.map { x < size.width && y < size.height ? sample(x, y, $0) : 0 }
        }
        guard bits < 16 || bits % 8 != 0 else { return values.flatMap { number($0, bits / 8) } }
        let digits = values.flatMap { value in (0..<bits).map { value >> (bits - 1 - $0) & 1 } }
        return stride(from: 0, to: digits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { byte, bit in
                byte << 1 | UInt8(start + bit < digits.count ? digits[start + bit] : 0)
            }
        }
    }

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
