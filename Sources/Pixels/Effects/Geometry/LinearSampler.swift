internal import CWebImageKernels

/// Reads a picture between its pixels; outside it is transparent.
///
/// Safe as long as the bytes are there: every place is checked against the size.
@safe struct LinearSampler {
    private let reader: PixelReader
    private let picture: PixelBuffer
    private let bytes: UnsafeRawBufferPointer

    /// A sampler that is good inside the closure that lent the bytes.
    init(_ picture: PixelBuffer, _ bytes: UnsafeRawBufferPointer) {
        reader = unsafe PixelReader(picture, bytes)
        self.picture = picture
        unsafe self.bytes = bytes
    }

    /// Writes some pixels of a target row.
    func draw(_ columns: Range<Int>, from line: SourceLine, on row: UnsafeMutableRawBufferPointer) {
        for x in columns {
            let pixel = pixel(line.x + Double(x) * line.stepX, line.y + Double(x) * line.stepY)
            let place = unsafe row.baseAddress.unsafelyUnwrapped + x * picture.format.bytesPerPixel
            switch picture.format {
            case .rgba8: unsafe EightBitAccess.store(pixel, place)
            case .rgbaHalf: unsafe HalfAccess.store(pixel, place)
            }
        }
    }

    /// Makes some pixels of a target row transparent.
    func clear(_ columns: Range<Int>, on row: UnsafeMutableRawBufferPointer) {
        let width = picture.format.bytesPerPixel
        _ = unsafe UnsafeMutableRawBufferPointer(
            rebasing: row[columns.lowerBound * width..<columns.upperBound * width]
        ).initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Writes pixels of a target row whose four neighbours are all in the picture; `false` where no kernel can.
    func fill(_ row: UnsafeMutableRawBufferPointer, _ columns: Range<Int>, from line: SourceLine) -> Bool {
        guard picture.format == .rgba8, columns.upperBound * 4 <= row.count else { return false }
        var start = cwebimage_line(
            x: fixed(line.x + Double(columns.lowerBound) * line.stepX),
            y: fixed(line.y + Double(columns.lowerBound) * line.stepY), step_x: fixed(line.stepX),
            step_y: fixed(line.stepY))
        let target = unsafe (row.baseAddress.unsafelyUnwrapped + columns.lowerBound * 4)
            .assumingMemoryBound(to: UInt8.self)
        return unsafe cwebimage_sample_line(
            &start, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, picture.bytesPerRow,
            picture.width, picture.height, target, columns.count) == 1
    }

    private func fixed(_ value: Double) -> Int64 { Int64((value * 0x1p32).rounded()) }

    private func pixel(_ x: Double, _ y: Double) -> SIMD4<Float> {
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        let (right, bottom) = (Float(x - left), Float(y - top))
        let (column, row) = (Int(left), Int(top))
        let upper = at(column, row) * (1 - right) + at(column + 1, row) * right
        let lower = at(column, row + 1) * (1 - right) + at(column + 1, row + 1) * right
        return upper * (1 - bottom) + lower * bottom
    }

    private func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
        guard x >= 0, y >= 0, x < picture.width, y < picture.height else { return .zero }
        return reader.pixel(x, y)
    }
}
