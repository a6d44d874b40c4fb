import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The rows of a bitmap, top row first whatever their order in the file.
struct BitmapRows {
    let bitmap: Bitmap
    /// Whether any pixel may be transparent.
    let hasAlpha: Bool
    private let palette: [SIMD4<UInt8>]
    private let runs: BMPRunLengths?
    private let samples: BitmapSamples
    /// Where an icon says which pixels are transparent.
    private let maskStart: Int?

    /// Looks for alpha, since pictures are common whose alpha is 0 everywhere and means nothing.
    ///
    /// - Parameter bitmap: Of a size within the limits.
    /// - Throws: `badImageData` when pixels are missing.
    init(_ bitmap: Bitmap, _ monitor: DecodeMonitor) throws(ImageError) {
        self.bitmap = bitmap
        palette = try bitmap.palette()
        if bitmap.header.compression == .runLengths {
            let runs = BMPRunLengths(bitmap.data.span, from: bitmap.pixelStart, bitmap.header)
            guard runs.hasEnd || runs.isWhole else { throw .truncatedBitmap(bitmap.format, "in its run lengths") }
            self.runs = runs
            samples = BitmapSamples(bitmap, palette, usesAlpha: false)
            (maskStart, hasAlpha) = (nil, !runs.isWhole)
            return
        }
        let end = try bitmap.end(ofRowsFrom: bitmap.pixelStart, bits: bitmap.header.bits, "pixels")
        let usesAlpha = try Self.findsAlpha(in: bitmap, monitor)
        samples = BitmapSamples(bitmap, palette, usesAlpha: usesAlpha)
        // Icons of 32 bits are seen without a mask, since their alpha says all.
        let isMasked = bitmap.format == .ico && !usesAlpha && (bitmap.header.bits < 32 || end < bitmap.data.count)
        if isMasked { _ = try bitmap.end(ofRowsFrom: end, bits: 1, "mask") }
        (runs, maskStart, hasAlpha) = (nil, isMasked ? end : nil, usesAlpha || isMasked)
    }

    /// Gives the rows of a band of the picture, each in its full width.
    func give(_ band: Range<Int>, to sink: inout DecodingSink) throws(ImageError) {
        var nextRun = runs.map(\.rows)?[...] ?? []
        if !bitmap.header.isTopDown { nextRun.reverse() }
        for y in band {
            let row = bitmap.header.isTopDown ? y : bitmap.size.height - 1 - y
            // Those behind the last row come first where rows are turned round.
            while let start = nextRun.first, bitmap.header.isTopDown ? start.row < row : start.row > row {
                nextRun.removeFirst()
            }
            let start = nextRun.first.flatMap { $0.row == row ? $0 : nil }
            try unsafe sink.withNextRow { target throws(ImageError) in
                if let runs {
                    unsafe fill(target, from: start, of: runs)
                } else {
                    unsafe samples.convert(row, to: target)
                    if let maskStart { unsafe hide(row, in: target, maskStart) }
                }
            }
        }
    }

    private static func findsAlpha(in bitmap: Bitmap, _ monitor: DecodeMonitor) throws(ImageError) -> Bool {
        guard bitmap.header.masks[3] != 0 else { return false }
        for row in 0..<bitmap.size.height {
            if row & 255 == 0 { try monitor.check() }
            if BitmapSamples.hasAlpha(in: bitmap, row: row) { return true }
        }
        return false
    }

    /// What no run covers is transparent, as in browsers.
    private func fill(
        _ target: UnsafeMutableRawBufferPointer, from start: BMPRunLengths.RowStart?, of runs: BMPRunLengths
    ) {
        unsafe _ = target.initializeMemory(as: UInt8.self, repeating: 0)
        guard let start else { return }
        runs.forEachRun(of: start, bitmap.data.span, width: target.count / 4) { columns, index in
            let color = palette[index]
            for column in columns {
                unsafe target.storeBytes(of: color, toByteOffset: column * 4, as: SIMD4<UInt8>.self)
            }
        }
    }

    private func hide(_ row: Int, in target: UnsafeMutableRawBufferPointer, _ maskStart: Int) {
        let bytes = bitmap.data.span
        let start = maskStart + row * Bitmap.byteCounts(width: bitmap.size.width, bits: 1).row
        for x in 0..<target.count / 4 where bytes[start + x / 8] & (0x80 >> UInt8(x & 7)) != 0 {
            unsafe target.storeBytes(of: 0, toByteOffset: x * 4, as: UInt32.self)
        }
    }
}
