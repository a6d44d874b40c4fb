import WebImagePixels

extension PixelBuffer {
    /// The picture as cairo can take it: 8 bits, sRGB, premultiplied or opaque.
    var drawable: PixelBuffer {
        switch (format, colorSpace) {
        case (.rgba8, .sRGB): alpha == .straight ? withAlpha(.premultiplied) : self
        default: eightBit
        }
    }

    private var eightBit: PixelBuffer {
        let layout = Layout(alpha: alpha == .opaque ? .opaque : .premultiplied)
        guard var result = PixelBuffer(uninitialized: size, layout: layout) else { return self }
        let stride = result.bytesPerRow
        unsafe result.withUnsafeMutableBytes { (target) -> Void in
            for y in 0..<height {
                unsafe withUnsafeRow(y) { row in
                    for x in 0..<width {
                        let pixel = encoded(unsafe pixel(x, of: row))
                        unsafe target.storeBytes(
                            of: pixel, toByteOffset: y * stride + x * 4, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
        return result
    }

    private func pixel(_ x: Int, of row: UnsafeRawBufferPointer) -> SIMD4<Float> {
        switch format {
        case .rgba8: SIMD4<Float>(unsafe row.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)) / 255
        case .rgbaHalf: SIMD4<Float>(unsafe row.loadUnaligned(fromByteOffset: x * 8, as: SIMD4<Float16>.self))
        }
    }

    /// A pixel of this picture in sRGB, premultiplied and bounded to what 8 bits hold.
    private func encoded(_ pixel: SIMD4<Float>) -> SIMD4<UInt8> {
        // What is not a number becomes 0 here: no comparison holds for it.
        var pixel = SIMD4<Float>.zero.replacing(with: pixel, where: pixel .> 0)
        if alpha == .opaque { pixel.w = 1 }
        pixel.w = min(pixel.w, 1)
        if alpha == .straight {
            let cover = pixel.w
            pixel *= cover
            pixel.w = cover
        }
        if colorSpace == .linearSRGB { return LinearLight.shared.pixel(of: pixel) }
        let bounded = pointwiseMin(pixel, SIMD4(repeating: pixel.w))
        return SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(bounded * 255 + 0.5))
    }
}
