import CWebImageTIFF
import WebImageCore
import WebImagePixels

/// Gives a picture's rows to a sink, from whatever parts the file holds them in.
struct TIFFRows {
    /// What the file is read in.
    enum Kind {
        /// Row by row, out of strips that hold all samples.
        case scanlines
        /// Strip by strip, one of each plane where planes are apart.
        case strips
        case tiles
        /// Strips or rows of tiles that libtiff makes RGBA of.
        case converted
    }

    private let kind: Kind
    private let layout: TIFFLayout?
    private let partSize: Int

    init(_ kind: Kind, _ layout: TIFFLayout?, partSize: Int = 0) {
        self.kind = kind
        self.layout = layout
        self.partSize = partSize
    }

    /// What has to be read for a region: the tiles that it touches, or the rows from the start of the strip that it
    /// begins in, since the bytes of a strip can be read from there only.
    func part(holding region: PixelRect, of size: PixelSize, _ header: cwebimage_tiff_header) -> PixelRect {
        let block = PixelSize(max(1, Int(header.block_width)), max(1, Int(header.block_height)))
        let top = region.y / block.height * block.height
        let height = region.y + region.height - top
        guard kind == .tiles else { return PixelRect(x: 0, y: top, width: size.width, height: height) }
        let left = region.x / block.width * block.width
        let lastTile = (region.x + region.width - 1) / block.width
        let (end, overflow) = (lastTile + 1).multipliedReportingOverflow(by: block.width)
        return PixelRect(x: left, y: top, width: (overflow ? size.width : min(size.width, end)) - left, height: height)
    }

    /// - Parameter part: See `part(holding:of:_:)`.
    func give(
        _ part: PixelRect, to sink: inout DecodingSink, from reader: borrowing TIFFReader
    ) throws(ImageError) {
        guard let layout else { return try giveConverted(part, to: &sink, from: reader) }
        let palette = layout.photometric == .palette ? try reader.palette() : []
        let samples = TIFFSamples(layout, palette: palette)
        switch kind {
        case .scanlines: try giveScanlines(samples, part, to: &sink, from: reader)
        case .strips: try giveStrips(samples, part, to: &sink, from: reader)
        case .tiles, .converted: try giveTiles(samples, part, to: &sink, from: reader)
        }
    }

    // MARK: Strips

    private func giveScanlines(
        _ samples: TIFFSamples, _ part: PixelRect, to sink: inout DecodingSink, from reader: borrowing TIFFReader
    ) throws(ImageError) {
        var samples = samples
        var scanline = [UInt8](repeating: 0, count: partSize)
        for y in part.y..<part.y + part.height {
            guard unsafe cwebimage_tiff_read_row(reader.decoder, UInt32(y), &scanline, scanline.count) else {
                throw reader.failure("at row \(y)")
            }
            try unsafe sink.withNextRow { row throws(ImageError) in
                unsafe samples.convert([scanline[...]], to: row)
            }
        }
    }

    private func giveStrips(
        _ samples: TIFFSamples, _ part: PixelRect, to sink: inout DecodingSink, from reader: borrowing TIFFReader
    ) throws(ImageError) {
        var samples = samples
        let bytesPerRow = unsafe cwebimage_tiff_row_size(reader.decoder)
        let stripHeight = max(1, Int(reader.header.block_height))
        var planes = [[UInt8]](repeating: [UInt8](repeating: 0, count: partSize), count: samples.layout.planeCount)
        for y in part.y..<part.y + part.height {
            if y % stripHeight == 0 { try readStrips(at: y, into: &planes, from: reader) }
            let start = y % stripHeight * bytesPerRow
            guard bytesPerRow > 0, start + bytesPerRow <= partSize else { throw reader.failure("at row \(y)") }
            try unsafe sink.withNextRow { row throws(ImageError) in
                unsafe samples.convert(planes.map { $0[start..<start + bytesPerRow] }, to: row)
            }
        }
    }

    private func readStrips(
        at y: Int, into planes: inout [[UInt8]], from reader: borrowing TIFFReader
    ) throws(ImageError) {
        for plane in planes.indices {
            // A strip may end early: what it lacks is 0, not what was there before.
            unsafe planes[plane].withUnsafeMutableBytes { unsafe _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
            guard
                unsafe cwebimage_tiff_read_strip(
                    reader.decoder, UInt32(y), UInt16(plane), &planes[plane], planes[plane].count)
            else { throw reader.failure("in the strip at row \(y)" + (plane > 0 ? " of plane \(plane)" : "")) }
        }
    }

    // MARK: Tiles

    private func giveTiles(
        _ samples: TIFFSamples, _ part: PixelRect, to sink: inout DecodingSink, from reader: borrowing TIFFReader
    ) throws(ImageError) {
        var samples = samples
        let tile = PixelSize(Int(reader.header.block_width), Int(reader.header.block_height))
        let (right, bottom) = (part.x + part.width, part.y + part.height)
        guard !tile.isEmpty, partSize >= tile.height else { throw reader.failure("in the size of its tiles") }
        let tileRowSize = partSize / tile.height
        var planes = [[UInt8]](repeating: [UInt8](repeating: 0, count: partSize), count: samples.layout.planeCount)
        var rows = [UInt8](repeating: 0, count: part.width * min(tile.height, part.height) * 4)
        for y in stride(from: part.y, to: bottom, by: tile.height) {
            let height = min(tile.height, bottom - y)
            for x in stride(from: part.x, to: right, by: tile.width) {
                try sink.check()
                try readTile(at: (x, y), into: &planes, from: reader)
                for row in 0..<height {
                    let start = row * part.width - part.x
                    let pixels = start + x..<start + min(x + tile.width, right)
                    let parts = planes.map { $0[row * tileRowSize..<(row + 1) * tileRowSize] }
                    unsafe rows.withUnsafeMutableBytes { bytes in
                        let place = unsafe bytes[pixels.lowerBound * 4..<pixels.upperBound * 4]
                        unsafe samples.convert(parts, to: UnsafeMutableRawBufferPointer(rebasing: place))
                    }
                }
            }
            try Self.give(rows, count: height, to: &sink)
        }
    }

    private func readTile(
        at place: (x: Int, y: Int), into planes: inout [[UInt8]], from reader: borrowing TIFFReader
    ) throws(ImageError) {
        for plane in planes.indices {
            guard
                unsafe cwebimage_tiff_read_tile(
                    reader.decoder, UInt32(place.x), UInt32(place.y), UInt16(plane), &planes[plane],
                    planes[plane].count)
            else { throw reader.failure("in the tile at \(place.x), \(place.y)") }
        }
    }

    // MARK: libtiff's own conversion

    private func giveConverted(
        _ part: PixelRect, to sink: inout DecodingSink, from reader: borrowing TIFFReader
    ) throws(ImageError) {
        guard unsafe cwebimage_tiff_start_rgba(reader.decoder) else { throw reader.failure("or of an unusual kind") }
        let bottom = part.y + part.height
        let blockHeight = min(max(1, Int(reader.header.block_height)), part.height)
        let hasAlpha = reader.alpha != nil
        var rows = [UInt8](repeating: 0, count: part.width * blockHeight * 4)
        for y in stride(from: part.y, to: bottom, by: blockHeight) {
            let height = min(blockHeight, bottom - y)
            guard unsafe cwebimage_tiff_read_rgba(reader.decoder, UInt32(y), UInt32(height), &rows, rows.count) else {
                throw reader.failure("in the rows from \(y) on")
            }
            if hasAlpha { unsafe rows.withUnsafeMutableBytes { unsafe unpremultiply($0) } }
            try Self.give(rows, count: height, to: &sink)
        }
    }

    private static func give(_ rows: [UInt8], count: Int, to sink: inout DecodingSink) throws(ImageError) {
        let bytesPerRow = sink.sourceSize.width * 4
        for row in 0..<count {
            try unsafe sink.withNextRow { target throws(ImageError) in
                unsafe target.copyBytes(from: rows[row * bytesPerRow..<(row + 1) * bytesPerRow])
            }
        }
    }
}
