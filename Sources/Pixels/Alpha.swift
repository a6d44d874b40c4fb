extension PixelColor {
    init(_ pixel: SIMD4<UInt8>) {
        self.init(pixel.x, pixel.y, pixel.z, pixel.w)
    }

    /// Divides colour by alpha, rounded to nearest; a transparent pixel has no colour.
    init(premultiplied pixel: SIMD4<UInt8>) {
        guard pixel.w != 0 else {
            self = .clear
            return
        }
        let alpha = UInt32(pixel.w)
        func straight(_ channel: UInt8) -> UInt8 { UInt8(min(255, (UInt32(channel) * 255 + alpha / 2) / alpha)) }
        self.init(straight(pixel.x), straight(pixel.y), straight(pixel.z), pixel.w)
    }

    init(_ pixel: SIMD4<Float>, isPremultiplied: Bool) {
        let divisor = isPremultiplied ? pixel.w : 1
        guard divisor > 0 else {
            self = .clear
            return
        }
        let straight = SIMD4<Float>(pixel.x / divisor, pixel.y / divisor, pixel.z / divisor, pixel.w)
        let scaled = (straight.bounded * 255).rounded(.toNearestOrAwayFromZero)
        self.init(UInt8(scaled.x), UInt8(scaled.y), UInt8(scaled.z), UInt8(scaled.w))
    }
}

/// Multiplies the colour of straight RGBA8 pixels by their alpha, in place: round(colour × alpha / 255), exactly.
///
/// - Parameter pixels: Whole pixels, 4 bytes each.
public func premultiply(_ pixels: UnsafeMutableRawBufferPointer) {
    guard let base = pixels.baseAddress else { return }
    let count = pixels.count & ~3
    var offset = 0
    while offset + 32 <= count {
        let block = unsafe base.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt32>.self)
        // Most pictures are opaque for the most part.
        if !isOpaque(block) {
            unsafe base.storeBytes(of: premultiplied(block), toByteOffset: offset, as: SIMD8<UInt32>.self)
        }
        offset &+= 32
    }
    while offset < count {
        let pixel = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let result = premultiplied(SIMD8(repeating: pixel))[0]
        unsafe base.storeBytes(of: result, toByteOffset: offset, as: UInt32.self)
        offset &+= 4
    }
}

private func isOpaqueRow(_ row: UnsafeRawBufferPointer) -> Bool {
    let whole = row.count & ~31
    let blocks = stride(from: 0, to: whole, by: 32).allSatisfy { offset in
        isOpaque(unsafe row.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt32>.self))
    }
    return blocks && stride(from: whole + 3, to: row.count, by: 4).allSatisfy { unsafe row[$0] == 255 }
}

@inline(__always)
private func isOpaque(_ pixels: SIMD8<UInt32>) -> Bool {
    let both = pixels.lowHalf & pixels.highHalf
    let all = both.lowHalf & both.highHalf
    return (all[0] & all[1]) >> 24 == 255
}

/// Two channels at a time in the halves of a 32-bit lane, alpha in its top byte: all platforms are little-endian.
///
/// (t + 128 + (t + 128) / 256) / 256 is t / 255 rounded, for every t up to 255 × 255, and never leaves its half.
@inline(__always)
private func premultiplied(_ pixels: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let halves = SIMD8<UInt32>(repeating: 0x00FF_00FF)
    let rounding = SIMD8<UInt32>(repeating: 0x0080_0080)
    let alpha = pixels &>> 24
    var redBlue = (pixels & halves) &* alpha &+ rounding
    redBlue = ((redBlue &+ ((redBlue &>> 8) & halves)) &>> 8) & halves
    // With alpha itself set to 255 its product is alpha.
    var greenAlpha = (((pixels &>> 8) & 0x0000_00FF) | 0x00FF_0000) &* alpha &+ rounding
    greenAlpha = (greenAlpha &+ ((greenAlpha &>> 8) & halves)) & ~halves
    return redBlue | greenAlpha
}

/// Divides the colour of premultiplied RGBA8 pixels by their alpha, in place, rounded; alpha 0 gives 0.
///
/// - Parameter pixels: Whole pixels, 4 bytes each.
public func unpremultiply(_ pixels: UnsafeMutableRawBufferPointer) {
    for offset in stride(from: 0, to: pixels.count & ~3, by: 4) {
        guard unsafe pixels[offset + 3] != 255 else { continue }
        let pixel = unsafe pixels.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
        let color = PixelColor(premultiplied: pixel)
        unsafe pixels.storeBytes(
            of: SIMD4(color.red, color.green, color.blue, color.alpha), toByteOffset: offset, as: SIMD4<UInt8>.self)
    }
}

extension PixelBuffer {
    /// Whether every alpha is full, whatever the picture says of itself: looks at pixels up to the first that is not.
    package var isOpaque: Bool {
        if alpha == .opaque { return true }
        return (0..<height).allSatisfy { y in
            unsafe withUnsafeRow(y) { row in
                switch format {
                case .rgba8: unsafe isOpaqueRow(row)
                case .rgbaHalf:
                    stride(from: 6, to: row.count, by: 8).allSatisfy { offset in
                        unsafe row.loadUnaligned(fromByteOffset: offset, as: Float16.self) >= 1
                    }
                }
            }
        }
    }

    /// The same picture with straight or premultiplied alpha; what is transparent loses its colour. From opaque, and to
    /// it, only the name changes: every alpha has to be full.
    public func withAlpha(_ mode: AlphaMode) -> PixelBuffer {
        var result = self
        result.alpha = mode
        guard alpha != .opaque, mode != alpha, mode != .opaque else { return result }
        switch format {
        case .rgba8:
            unsafe result.withUnsafeMutableBytes { bytes in
                unsafe mode == .premultiplied ? premultiply(bytes) : unpremultiply(bytes)
            }
        case .rgbaHalf:
            result.mapPixels { mode == .premultiplied ? $0.multiplied : $0.straight }
        }
        return result
    }
}
