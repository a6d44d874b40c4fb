extension BlendMode {
    /// The result for one pixel; all premultiplied, 0…1.
    @inline(__always)
    func blend(_ source: SIMD4<Float>, over destination: SIMD4<Float>) -> SIMD4<Float> {
        switch self {
        case .clear: .zero
        case .copy: source
        case .sourceIn: source * destination.w
        case .sourceOut: source * (1 - destination.w)
        case .sourceAtop: source * destination.w + destination * (1 - source.w)
        case .destinationOver: destination + source * (1 - destination.w)
        case .destinationIn: destination * source.w
        case .destinationOut: destination * (1 - source.w)
        case .destinationAtop: destination * source.w + source * (1 - destination.w)
        case .xor: source * (1 - destination.w) + destination * (1 - source.w)
        case .plusLighter: pointwiseMin(source + destination, SIMD4(repeating: 1))
        case .plusDarker: Self.plusDarker(source, destination)
        case .normal: source + destination * (1 - source.w)
        default: mixed(source, destination)
        }
    }

    /// Core Graphics: max(0, (1 − D) + (1 − S)) taken from 1, with alpha added up.
    private static func plusDarker(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
        let alpha = min(1, source.w + destination.w)
        let missing = (source.w - source) + (destination.w - destination)
        var result = pointwiseMax(alpha - missing, .zero)
        result.w = alpha
        return result
    }

    /// Each alone where the other is not, and the mix where both are.
    private func mixed(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
        var both = mix(source, destination)
        both.w = source.w * destination.w
        return source * (1 - destination.w) + destination * (1 - source.w) + both
    }

    /// B(Cb, Cs) × both alphas; its fourth channel means nothing.
    private func mix(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
        let (s, d, both) = (source * destination.w, destination * source.w, source.w * destination.w)
        return switch self {
        case .multiply: source * destination
        case .screen: s + d - source * destination
        case .overlay: Self.hardLight(source: destination, destination: source)
        case .darken: pointwiseMin(s, d)
        case .lighten: pointwiseMax(s, d)
        case .hardLight: Self.hardLight(source: source, destination: destination)
        case .difference: pointwiseMax(s, d) - pointwiseMin(s, d)
        case .exclusion: s + d - 2 * source * destination
        case .colorDodge, .colorBurn, .softLight: straightMix(source.straight, destination.straight) * both
        default: hueMix(source.straight, destination.straight) * both
        }
    }

    private static func hardLight(source: SIMD4<Float>, destination: SIMD4<Float>) -> SIMD4<Float> {
        let light = source.w * destination.w - 2 * (destination.w - destination) * (source.w - source)
        return light.replacing(with: 2 * source * destination, where: 2 * source .<= source.w)
    }

    private func straightMix(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
        var result = SIMD4<Float>.zero
        for channel in 0..<3 {
            let (s, d) = (source[channel], destination[channel])
            result[channel] =
                switch self {
                case .colorDodge: d <= 0 ? 0 : (s >= 1 ? 1 : min(1, d / (1 - s)))
                case .colorBurn: d >= 1 ? 1 : (s <= 0 ? 0 : 1 - min(1, (1 - d) / s))
                default: Self.softLight(s, d)
                }
        }
        return result
    }

    private static func softLight(_ s: Float, _ d: Float) -> Float {
        guard s > 0.5 else { return d - (1 - 2 * s) * d * (1 - d) }
        let root = d <= 0.25 ? ((16 * d - 12) * d + 4) * d : d.squareRoot()
        return d + (2 * s - 1) * (root - d)
    }

    private func hueMix(_ source: SIMD4<Float>, _ destination: SIMD4<Float>) -> SIMD4<Float> {
        switch self {
        case .hue: source.withSaturation(destination.saturation).withLuminosity(destination.luminosity)
        case .saturation: destination.withSaturation(source.saturation).withLuminosity(destination.luminosity)
        case .color: source.withLuminosity(destination.luminosity)
        default: destination.withLuminosity(source.luminosity)
        }
    }
}

/// The non-separable formulas of W3C Compositing; the fourth channel means nothing.
extension SIMD4<Float> {
    fileprivate var luminosity: Float { 0.3 * x + 0.59 * y + 0.11 * z }
    fileprivate var lowest: Float { Swift.min(x, y, z) }
    fileprivate var highest: Float { Swift.max(x, y, z) }
    fileprivate var saturation: Float { highest - lowest }

    fileprivate func withSaturation(_ saturation: Float) -> SIMD4<Float> {
        let range = self.saturation
        return range > 0 ? (self - lowest) * (saturation / range) : .zero
    }

    fileprivate func withLuminosity(_ luminosity: Float) -> SIMD4<Float> {
        let moved = self + (luminosity - self.luminosity)
        var result = moved
        let (low, high) = (moved.lowest, moved.highest)
        if low < 0, luminosity > low { result = luminosity + (result - luminosity) * (luminosity / (luminosity - low)) }
        if high > 1, high > luminosity {
            result = luminosity + (result - luminosity) * ((1 - luminosity) / (high - luminosity))
        }
        return result
    }
}
