/// The colours of a picture in boxes, cut where the two sides differ most.
struct ColorBoxes {
    /// Colours whose upper five bits are equal.
    private struct Bin {
        /// Red, green and blue weighed by alpha, and alpha, added up.
        var sum = SIMD4<Double>.zero
        var weight: Double { sum.w }
        var color: SIMD4<Double> { sum / sum.w }
    }

    private let bins: [Bin]

    init(_ picture: PixelBuffer) {
        var table = [Bin](repeating: Bin(), count: 1 << 15)
        picture.withReader { reader in
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    let pixel = reader.pixel(x, y)
                    guard pixel.w > 0 else { continue }
                    let steps = pointwiseMin(pixel.straight.bounded * 31.875, SIMD4(repeating: 31))
                    table[Int(steps.x) << 10 | Int(steps.y) << 5 | Int(steps.z)].sum += SIMD4<Double>(pixel)
                }
            }
        }
        bins = table.filter { $0.weight > 0 }
    }

    func colors(_ count: Int) -> [PixelColor] {
        guard !bins.isEmpty else { return [] }
        var boxes = [bins[...]]
        // Known once: each look at a box goes over all its colours.
        var badness = boxes.map(Self.badness)
        while boxes.count < count {
            let worst = boxes.indices.max { badness[$0] < badness[$1] }
            guard let worst, boxes[worst].count > 1 else { break }
            let (low, high) = Self.cut(boxes[worst])
            boxes[worst] = low
            boxes.append(high)
            badness[worst] = Self.badness(low)
            badness.append(Self.badness(high))
        }
        let means = boxes.map { $0.reduce(SIMD4<Double>.zero) { $0 + $1.sum } }
        return means.sorted { $0.w > $1.w }.map { sum in
            var color = SIMD4<Float>(sum / sum.w)
            color.w = 1
            return PixelColor(color, isPremultiplied: false)
        }
    }

    /// Pixels times spread: a box of one bin needs no cut.
    private static func badness(_ box: ArraySlice<Bin>) -> Double {
        guard box.count > 1 else { return 0 }
        return box.reduce(0) { $0 + $1.weight } * spread(box).max()
    }

    private static func spread(_ box: ArraySlice<Bin>) -> SIMD3<Double> {
        let colors = box.map { $0.color }
        return SIMD3(
            (0..<3).map { channel in
                colors.reduce(0) { max($0, $1[channel]) } - colors.reduce(1) { min($0, $1[channel]) }
            })
    }

    private static func cut(_ box: ArraySlice<Bin>) -> (ArraySlice<Bin>, ArraySlice<Bin>) {
        let spread = spread(box)
        let channel = (0..<3).max { spread[$0] < spread[$1] } ?? 0
        let sorted = box.sorted { $0.color[channel] < $1.color[channel] }
        let total = sorted.reduce(SIMD4<Double>.zero) { $0 + $1.sum }
        var (low, best, place) = (SIMD4<Double>.zero, -1.0, 1)
        for index in 1..<sorted.count {
            low += sorted[index - 1].sum
            let high = total - low
            // The variance between the two sides (Otsu).
            let distance = low[channel] / low.w - high[channel] / high.w
            let score = distance * distance * low.w * high.w
            if score > best { (best, place) = (score, index) }
        }
        return (sorted[..<place], sorted[place...])
    }
}
