/// Reads single pixels of any format as four floats, 0…1.
///
/// Safe as long as the bytes are there: the place is checked at every read.
@safe struct PixelReader {
    private let bytes: UnsafeRawBufferPointer
    private let picture: PixelBuffer

    /// A reader that is good inside the closure that lent the bytes.
    init(_ picture: PixelBuffer, _ bytes: UnsafeRawBufferPointer) {
        self.picture = picture
        unsafe self.bytes = bytes
    }

    /// As it stands in memory: premultiplied unless the picture says otherwise.
    @inline(__always)
    func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
        precondition(x >= 0 && y >= 0 && x < picture.width && y < picture.height, "pixel outside the picture")
        let row = unsafe bytes.baseAddress.unsafelyUnwrapped + y &* picture.bytesPerRow
        return switch picture.format {
        case .rgba8: unsafe EightBitAccess.load(row + x &* 4)
        case .rgbaHalf: unsafe HalfAccess.load(row + x &* 8)
        }
    }
}

extension PixelBuffer {
    /// Lends a reader of this picture's pixels.
    func withReader<Result>(_ body: (PixelReader) -> Result) -> Result {
        unsafe withUnsafeBytes { unsafe body(PixelReader(self, $0)) }
    }

    /// The mean of a region, which lies within the picture, as it stands in memory.
    func mean(of region: PixelRect) -> SIMD4<Float> {
        withReader { reader in
            var sum = SIMD4<Double>.zero
            for y in region.y..<region.y + region.height {
                var row = SIMD4<Float>.zero
                for x in region.x..<region.x + region.width { row += reader.pixel(x, y) }
                sum += SIMD4<Double>(row)
            }
            return SIMD4<Float>(sum / Double(region.width * region.height))
        }
    }
}
