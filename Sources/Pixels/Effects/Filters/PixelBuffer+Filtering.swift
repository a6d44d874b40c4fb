extension PixelBuffer {
    /// The picture through a filter; the size stays.
    ///
    /// - Returns: `nil` for a parameter that is not finite, and a gamma that is not above 0.
    public func filtered(_ filter: ImageFilter) -> PixelBuffer? {
        guard filter.parameters.allSatisfy({ $0.isFinite }) else { return nil }
        if let matrix = filter.matrix { return recolored(matrix) }
        return switch filter {
        case .gamma(let power): power > 0 ? gammaAdjusted(power) : nil
        case .sharpen(let radius, let amount): sharpened(radius: radius, amount: Self.bounded(amount))
        case .pixellate(let size): pixellated(size)
        case .vignette(let radius, let intensity):
            vignetted(from: Self.bounded(radius), Float(min(max(intensity, 0), 1)))
        default: self
        }
    }

    /// A parameter of which nothing changes beyond a million, and which as a float must stay a number.
    private static func bounded(_ parameter: Double) -> Float { Float(min(max(parameter, -1e6), 1e6)) }

    private func recolored(_ matrix: ColorMatrix) -> PixelBuffer {
        // Columns: what one old channel gives to all new ones.
        let rows = [matrix.red, matrix.green, matrix.blue, matrix.alpha]
        func column(_ channel: Int) -> SIMD4<Float> {
            SIMD4<Float>(SIMD4(rows[0][channel], rows[1][channel], rows[2][channel], rows[3][channel]))
        }
        let (red, green, blue, alpha) = (column(0), column(1), column(2), column(3))
        let bias = SIMD4<Float>(matrix.bias)
        var result = mixable
        if matrix.alpha != [0, 0, 0, 1] || matrix.bias.w != 0 { result.alpha = .premultiplied }
        result.mapPixels { pixel in
            let old = pixel.straight
            return (red * old.x + green * old.y + blue * old.z + alpha * old.w + bias).premultiplied
        }
        return result
    }

    private func gammaAdjusted(_ exponent: Double) -> PixelBuffer {
        let steps = Float(format == .rgba8 ? 255 : 4095)
        let table = (0...Int(steps)).map { Float(power(Double($0) / Double(steps), exponent)) }
        var result = mixable
        result.mapPixels { pixel in
            let old = pixel.straight
            let places = old.bounded * steps + 0.5
            var new = SIMD4(table[Int(places.x)], table[Int(places.y)], table[Int(places.z)], 1) * old.w
            new.w = old.w
            return new
        }
        return result
    }

    private func sharpened(radius: Double, amount: Float) -> PixelBuffer? {
        guard let blurred = blurred(radius: radius) else { return nil }
        var result = mixable
        // Half floats may hold light beyond white.
        let isBounded = format == .rgba8
        blurred.withReader { reader in
            result.mapPixels(in: PixelRect(size)) { place, pixel in
                let sharper = (pixel + (pixel - reader.pixel(place.x, place.y)) * amount).finiteHalf
                var bounded = pointwiseMax(sharper, .zero)
                if isBounded { bounded = pointwiseMin(bounded, SIMD4(repeating: pixel.w)) }
                bounded.w = pixel.w
                return bounded
            }
        }
        return result
    }

    private func pixellated(_ size: Double) -> PixelBuffer {
        let side = Int(min(max(size, 1), Double(max(width, height))).rounded())
        guard side > 1 else { return self }
        var result = mixable
        let source = result
        for y in stride(from: 0, to: height, by: side) {
            for x in stride(from: 0, to: width, by: side) {
                let block = PixelRect(x: x, y: y, width: min(side, width - x), height: min(side, height - y))
                let mean = source.mean(of: block)
                result.mapPixels(in: block) { _, _ in mean }
            }
        }
        return result
    }

    /// The factor falls as a cosine-like curve, 3t² − 2t³, from the radius to the corner.
    private func vignetted(from radius: Float, _ intensity: Float) -> PixelBuffer {
        let centre = SIMD2(Float(width), Float(height)) / 2
        let diagonal = (centre * centre).sum().squareRoot()
        var result = mixable
        result.mapPixels(in: PixelRect(size)) { place, pixel in
            let offset = SIMD2(Float(place.x), Float(place.y)) + 0.5 - centre
            let distance = (offset * offset).sum().squareRoot() / diagonal
            let part = radius < 1 ? min(max((distance - radius) / (1 - radius), 0), 1) : 0
            var darker = pixel * (1 - intensity * part * part * (3 - 2 * part))
            darker.w = pixel.w
            return darker
        }
        return result
    }
}
