import CWebImagePangoCairo

/// How points become pixels.
struct CairoMatrix {
    let matrix: cairo_matrix_t

    /// The farthest from the origin that is drawn, in pixels. cairo counts in 24 bits before the point, and reckons
    /// with what lies around a point, too.
    static let reach = 0x1p22

    init(_ matrix: cairo_matrix_t) {
        self.matrix = matrix
    }

    /// Whether a point is near enough to be drawn; not, when it is no number.
    func holds(_ point: ImagePoint) -> Bool {
        let x = point.x * matrix.xx + point.y * matrix.xy + matrix.x0
        let y = point.x * matrix.yx + point.y * matrix.yy + matrix.y0
        return abs(x) <= Self.reach && abs(y) <= Self.reach
    }

    /// The most that a length in points can be in pixels.
    func bound(_ length: Double) -> Double {
        abs(length) * max(abs(matrix.xx) + abs(matrix.xy), abs(matrix.yx) + abs(matrix.yy))
    }

    /// The least and the most that a length in points can be in pixels, about.
    func extent(of length: Double) -> (least: Double, most: Double) {
        let most = bound(1)
        guard most > 0 else { return (0, 0) }
        return (abs(matrix.xx * matrix.yy - matrix.xy * matrix.yx) / most * length, most * length)
    }

    /// Pixels for each point where a picture keeps standing straight; `nil` for one that is turned or mirrored.
    var straightScale: (x: Double, y: Double)? {
        guard matrix.xy == 0, matrix.yx == 0, matrix.xx > 0, matrix.yy > 0 else { return nil }
        return (matrix.xx, matrix.yy)
    }
}
