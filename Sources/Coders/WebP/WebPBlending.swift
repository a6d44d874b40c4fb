/// Lays pixels with straight alpha over others.
enum WebPBlending {
    /// One RGBA pixel over another, red in the lowest byte. Rounds as libwebp's own compositor does, so that frames are
    /// those of other programs to the bit (WebP Container Specification, "Alpha-blending").
    static func blend(_ over: UInt32, over under: UInt32) -> UInt32 {
        let alpha = over >> 24
        if alpha == 255 { return over }
        if alpha == 0 { return under }
        let underShare = ((under >> 24) * (256 - alpha)) >> 8
        let sum = alpha + underShare
        let scale = (1 << 24) / sum
        var result = sum << 24
        for shift in stride(from: UInt32(0), through: 16, by: 8) {
            let color = (over >> shift & 255) * alpha + (under >> shift & 255) * underShare
            result |= ((color &* scale) >> 24) << shift
        }
        return result
    }
}
