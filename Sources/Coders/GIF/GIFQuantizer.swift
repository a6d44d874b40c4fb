/// Chooses colours for a picture that has more than a palette holds.
///
/// The colours are counted in boxes of 8×8×8. Of the groups of boxes the one in which the colours lie farthest apart is
/// cut in two at its mean, until there are as many groups as the palette has places.
struct GIFQuantizer {
    /// What has been counted in one box.
    private struct Bin {
        var sum = SIMD3<Double>()
        var squares = SIMD3<Double>()
        var count = 0.0

        static func + (first: Bin, second: Bin) -> Bin {
            Bin(sum: first.sum + second.sum, squares: first.squares + second.squares, count: first.count + second.count)
        }

        var mean: SIMD3<Double> { sum / count }
        /// The sum of squared distances from the mean, for each channel.
        var spread: SIMD3<Double> { squares - sum * sum / count }
    }

    /// Some bins, and what has been counted in all of them.
    private struct Group {
        var bins: [Bin]
        var total: Bin

        init(_ bins: [Bin]) {
            self.bins = bins
            total = bins.reduce(Bin(), +)
        }

        /// How much there is to be won by a cut.
        var cost: Double { bins.count > 1 ? total.spread.max() : -1 }

        func cut() -> (Group, Group) {
            let spread = total.spread
            let channel = spread.x == spread.max() ? 0 : spread.y == spread.max() ? 1 : 2
            let mean = total.mean[channel]
            var bins = bins
            let middle = bins.partition { $0.mean[channel] > mean }
            // Bins of one mean are cut anywhere.
            let place = middle == 0 || middle == bins.count ? bins.count / 2 : middle
            return (Group(Array(bins[..<place])), Group(Array(bins[place...])))
        }
    }

    /// The colours, at most as many as given, opaque.
    static func palette(of pixels: [UInt32], maxCount: Int) -> [UInt32] {
        let bins = bins(of: pixels)
        guard !bins.isEmpty else { return [] }
        var groups = [Group(bins)]
        while groups.count < maxCount {
            let costs = groups.map(\.cost)
            guard let widest = costs.indices.max(by: { costs[$0] < costs[$1] }), costs[widest] >= 0 else { break }
            let (first, second) = groups[widest].cut()
            groups[widest] = first
            groups.append(second)
        }
        return groups.map { color($0.total.mean) }
    }

    /// The box that a colour lies in.
    static func binIndex(_ color: UInt32) -> Int {
        Int(color & 0xF8) << 7 | Int(color >> 8 & 0xF8) << 2 | Int(color >> 16 & 0xF8) >> 3
    }

    static let binCount = 1 << 15

    private static func bins(of pixels: [UInt32]) -> [Bin] {
        var bins = [Bin](repeating: Bin(), count: binCount)
        for pixel in pixels where pixel != GIFPicture.transparent {
            let color = SIMD3(Double(pixel & 255), Double(pixel >> 8 & 255), Double(pixel >> 16 & 255))
            let index = binIndex(pixel)
            bins[index].sum += color
            bins[index].squares += color * color
            bins[index].count += 1
        }
        return bins.filter { $0.count > 0 }
    }

    private static func color(_ mean: SIMD3<Double>) -> UInt32 {
        let rounded = SIMD3<UInt32>(mean.rounded(.toNearestOrAwayFromZero))
        return rounded.x | rounded.y << 8 | rounded.z << 16 | 0xFF00_0000
    }
}
