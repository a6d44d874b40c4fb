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
        let scaled = (straight.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1)) * 255)
            .rounded(.toNearestOrAwayFromZero)
        self.init(UInt8(scaled.x), UInt8(scaled.y), UInt8(scaled.z), UInt8(scaled.w))
    }
}

/// Multiplies the colour of straight RGBA8 pixels by their alpha, in place: round(colour × alpha / 255), exactly.
///
/// - Parameter pixels: Whole pixels, 4 bytes each.
public func premultiply(_ pixels: UnsafeMutableRawBufferPointer) {
    for offset in stride(from: 0, to: pixels.count & ~3, by: 4) {
        let alpha = unsafe UInt32(pixels[offset + 3])
        guard alpha != 255 else { continue }
        for channel in offset..<offset + 3 {
            // (t + 128 + (t + 128) / 256) / 256 is t / 255 rounded, for every t up to 255 × 255.
            let product = unsafe UInt32(pixels[channel]) * alpha + 128
            unsafe pixels[channel] = UInt8(truncatingIfNeeded: (product + product >> 8) >> 8)
        }
    }
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
    /// The same RGBA8 picture with straight or premultiplied alpha; an opaque one only changes its name.
    public func withAlpha(_ mode: AlphaMode) -> PixelBuffer {
        var result = self
        result.alpha = mode
        guard format == .rgba8, alpha != .opaque, mode != alpha, mode != .opaque else { return result }
        unsafe result.withUnsafeMutableBytes { bytes in
            unsafe mode == .premultiplied ? premultiply(bytes) : unpremultiply(bytes)
        }
        return result
    }
}
