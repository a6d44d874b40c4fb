import CWebImagePangoCairo
import WebImageCore
import WebImagePixels

extension CairoCanvas {
    /// Makes a shading the source.
    ///
    /// - Returns: `false` when it cannot be drawn, which is noted, or nothing is to be drawn.
    func setSource(_ shading: Shading) -> Bool {
        guard isSound else { return false }
        switch shading {
        case .color(let color):
            set(color)
            return true
        case .linearGradient(let gradient, let start, let end):
            let matrix = matrix
            guard hold(start, matrix), hold(end, matrix) else { return false }
            guard start != end else { return setEnd(of: gradient) }
            return unsafe set(gradient, on: cairo_pattern_create_linear(start.x, start.y, end.x, end.y))
        case .radialGradient(let gradient, let center, let startRadius, let endRadius):
            guard hold(center, matrix), holdRadii(startRadius, endRadius) else { return false }
            guard startRadius != endRadius else { return setEnd(of: gradient) }
            return unsafe set(
                gradient,
                on: cairo_pattern_create_radial(center.x, center.y, startRadius, center.x, center.y, endRadius))
        }
    }

    private func holdRadii(_ start: Double, _ end: Double) -> Bool {
        guard start >= 0, end >= 0, matrix.bound(max(start, end)) <= CairoMatrix.reach else {
            fail("a gradient cannot be drawn with radii \(start) and \(end); they must be 0 or more, and not huge")
            return false
        }
        return true
    }

    private func set(_ color: PixelColor) {
        unsafe cairo_set_source_rgba(
            cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255,
            Double(color.alpha) / 255 * opacity)
    }

    /// Makes a gradient the source, and frees the pattern.
    private func set(_ gradient: Gradient, on pattern: OpaquePointer?) -> Bool {
        defer { unsafe cairo_pattern_destroy(pattern) }
        guard let stops = checkedStops(of: gradient) else { return false }
        for stop in stops {
            let color = stop.color
            unsafe cairo_pattern_add_color_stop_rgba(
                pattern, stop.location, Double(color.red) / 255, Double(color.green) / 255,
                Double(color.blue) / 255, Double(color.alpha) / 255 * opacity)
        }
        unsafe cairo_set_source(cairo, pattern)
        return true
    }

    /// Makes the last colour the source: that of a gradient whose start is its end.
    private func setEnd(of gradient: Gradient) -> Bool {
        guard let last = checkedStops(of: gradient)?.last else { return false }
        set(last.color)
        return true
    }

    /// In their order; `nil` where there are none, or one cannot be drawn, which is noted.
    private func checkedStops(of gradient: Gradient) -> [Gradient.Stop]? {
        guard let stops = gradient.boundedStops else {
            fail("a gradient cannot be drawn with \(gradient.stops.count) stops; at most 1000, all of them at numbers")
            return nil
        }
        return stops.isEmpty ? nil : stops
    }
}

extension Gradient {
    /// In their order, bounded to 0…1; `nil` when they cannot be drawn.
    fileprivate var boundedStops: [Stop]? {
        guard stops.count <= 1_000, stops.allSatisfy({ $0.location.isFinite }) else { return nil }
        let ordered = stops.enumerated().sorted {
            ($0.element.location, $0.offset) < ($1.element.location, $1.offset)
        }
        return ordered.map { Stop($0.element.color, at: min(max(0, $0.element.location), 1)) }
    }
}
