extension PixelBuffer {
    /// The picture with a colour laid over all of it. With the default, source in, the picture's shape takes the
    /// colour.
    ///
    /// - Parameter color: Transparent changes nothing, whatever the mode, as in SDWebImage.
    public func tinted(_ color: PixelColor, blendMode: BlendMode = .sourceIn) -> PixelBuffer {
        guard color.alpha > 0 else { return self }
        let source = color.premultiplied
        var result = mixable
        if !blendMode.keepsOpaque { result.alpha = .premultiplied }
        result.mapPixels { blendMode.blend(source, over: $0) }
        // The modes that make a shape of one colour leave an opaque picture opaque.
        let isOpaque = color.alpha == 255 && [.copy, .sourceIn, .destinationIn, .destinationAtop].contains(blendMode)
        if alpha == .opaque, isOpaque { result.alpha = .opaque }
        return result
    }

    /// The picture with another one laid over it. Outside the other one it stays as it is, whatever the mode.
    ///
    /// - Parameters:
    ///   - other: In the same colour space.
    ///   - point: Where the other's top left corner goes; may be outside, and what reaches out is left out.
    ///   - opacity: What the other's alpha is multiplied by; bounded to 0…1, and 0 for what is not a number.
    public func compositing(
        _ other: PixelBuffer, at point: PixelPoint, blendMode: BlendMode = .normal, opacity: Double = 1
    ) -> PixelBuffer {
        var result = mixable
        let source = other.mixable
        let frame = PixelRect(x: point.x, y: point.y, width: other.width, height: other.height)
        guard let region = frame.clipped(to: size) else { return result }
        if !blendMode.keepsOpaque { result.alpha = .premultiplied }
        let strength = Float(opacity > 0 ? min(opacity, 1) : 0)
        source.withReader { reader in
            result.mapPixels(in: region) { place, pixel in
                blendMode.blend(reader.pixel(place.x - point.x, place.y - point.y) * strength, over: pixel)
            }
        }
        return result
    }
}

extension SIMD4<Float> {
    /// A premultiplied pixel's colour divided by its alpha, which stays; transparent ones have no colour.
    var straight: SIMD4<Float> {
        guard w > 0 else { return .zero }
        var color = self / w
        color.w = w
        return color
    }

    /// A straight pixel, bounded to 0…1 and multiplied by its alpha.
    var premultiplied: SIMD4<Float> { bounded.multiplied }

    /// A straight pixel's colour multiplied by its alpha, which stays; transparent ones have no colour.
    var multiplied: SIMD4<Float> {
        guard w > 0 else { return .zero }
        var color = self * w
        color.w = w
        return color
    }
}
