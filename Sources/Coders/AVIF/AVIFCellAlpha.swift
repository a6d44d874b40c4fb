import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A grid whose transparency belongs to its cells one by one, which libavif 0.11 does not see: each cell is decoded
/// once more, as the picture of the file.
struct AVIFCellAlpha {
    private let data: Data
    /// Where the file names its picture.
    private let primaryPlace: Range<Int>
    private let cells: [Int]

    /// `nil` for every other file.
    init?(_ data: Data) {
        let boxes = ISOBoxes(data)
        guard let meta = boxes.first("meta", in: 0..<data.count), meta.count > 4,
            let named = boxes.first("pitm", in: meta.dropFirst(4)), named.count >= 6,
            let references = boxes.first("iref", in: meta.dropFirst(4)), references.count > 4
        else { return nil }
        let idSize = boxes.reader.uint8(references.lowerBound) == 0 ? 2 : 4
        primaryPlace = named.lowerBound + 4..<named.lowerBound + (boxes.reader.uint8(named.lowerBound) == 0 ? 6 : 8)
        guard let primary = Self.number(boxes.reader, primaryPlace.lowerBound, primaryPlace.count) else { return nil }
        func lists(_ type: String) -> [(from: Int, to: [Int])] {
            boxes.all(type, in: references.dropFirst(4)).compactMap { Self.list(boxes.reader, $0, idSize) }
        }
        let masters = Set(lists("auxl").flatMap(\.to))
        guard let grid = lists("dimg").first(where: { $0.from == primary }), !masters.contains(primary),
            !grid.to.isEmpty, masters.isSuperset(of: grid.to), primaryPlace.upperBound <= named.upperBound
        else { return nil }
        self.data = data
        cells = grid.to
    }

    private static func number(_ reader: ByteReader, _ offset: Int, _ size: Int) -> Int? {
        size == 2 ? reader.uint16(offset) : reader.uint32(offset)
    }

    private static func list(_ reader: ByteReader, _ box: Range<Int>, _ idSize: Int) -> (from: Int, to: [Int])? {
        guard let from = number(reader, box.lowerBound, idSize),
            let count = reader.uint16(box.lowerBound + idSize), box.count >= (count + 1) * idSize + 2
        else { return nil }
        return (from, (0..<count).compactMap { number(reader, box.lowerBound + 2 + ($0 + 1) * idSize, idSize) })
    }

    /// Gives the decoded colour of the grid its alpha.
    func add(to picture: inout PixelBuffer, options: DecodeOptions, monitor: DecodeMonitor) throws(ImageError) {
        var x = 0
        var y = 0
        for cell in cells {
            try monitor.check()
            let samples = try samples(ofCell: cell, options: options, monitor: monitor)
            copyAlpha(of: samples, to: &picture, x: x, y: y)
            x += samples.width
            if x >= picture.width {
                x = 0
                y += samples.height
            }
        }
    }

    private func samples(
        ofCell cell: Int, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> PixelBuffer {
        var file = data
        for (place, index) in zip(primaryPlace, 0...) {
            let shift = (primaryPlace.count - 1 - index) * 8
            file[file.startIndex + place] = UInt8(truncatingIfNeeded: cell >> shift)
        }
        return try unsafe file.withImageBytes(of: .avif) { bytes throws(ImageError) in
            var reader = try unsafe AVIFReader.open(bytes, file, limits: options.limits)
            return try reader.samples(ofFrame: 0, monitor)
        }
    }

    private func copyAlpha(of cell: PixelBuffer, to picture: inout PixelBuffer, x: Int, y: Int) {
        let width = min(cell.width, picture.width - x)
        let rowBytes = picture.bytesPerRow
        for row in 0..<max(0, min(cell.height, picture.height - y)) {
            unsafe cell.withUnsafeRow(row) { source in
                unsafe picture.withUnsafeMutableBytes { target in
                    let start = (y + row) * rowBytes + x * 4
                    for column in 0..<width { unsafe target[start + column * 4 + 3] = source[column * 4 + 3] }
                }
            }
        }
    }
}
