/// The bytes of a picture's ThumbHash.
struct ThumbHashEncoding {
    private let samples: PlaceholderSamples
    private let hasAlpha: Bool
    /// Lightness, yellow against blue, red against green, alpha of each pixel, laid over the mean colour.
    private let channels: [SIMD4<Double>]

    init(_ samples: PlaceholderSamples) {
        self.samples = samples
        let alphaSum = samples.straight.reduce(0) { $0 + $1[3] }
        hasAlpha = alphaSum < Double(samples.count)
        let sum = samples.straight.reduce(SIMD3<Double>.zero) { $0 + SIMD3($1[0], $1[1], $1[2]) * $1[3] }
        let mean = alphaSum > 0 ? sum / alphaSum : .zero
        channels = samples.straight.map { pixel in
            let color = mean * (1 - pixel[3]) + SIMD3(pixel[0], pixel[1], pixel[2]) * pixel[3]
            return SIMD4(
                (color[0] + color[1] + color[2]) / 3, (color[0] + color[1]) / 2 - color[2], color[0] - color[1],
                pixel[3])
        }
    }

    /// One channel's mean, largest wave, and waves as parts of that, 0…1.
    private struct Channel {
        var mean = 0.0
        var scale = 0.0
        var parts: [Double] = []
    }

    var bytes: [UInt8] {
        let longer = Double(max(samples.size.width, samples.size.height))
        let most = Double(hasAlpha ? 5 : 7)
        let columns = max(1, Int((most * Double(samples.size.width) / longer).rounded()))
        let rows = max(1, Int((most * Double(samples.size.height) / longer).rounded()))
        let isLandscape = samples.size.width > samples.size.height
        let lightness = channel(0, max(3, columns), max(3, rows))
        let yellowBlue = channel(1, 3, 3)
        let redGreen = channel(2, 3, 3)
        let alpha = hasAlpha ? channel(3, 5, 5) : Channel()
        let first =
            step(lightness.mean, 63) | step((yellowBlue.mean + 1) / 2, 63) << 6 | step((redGreen.mean + 1) / 2, 63)
            << 12
            | step(lightness.scale, 31) << 18 | (hasAlpha ? 1 << 23 : 0)
        let second =
            (isLandscape ? rows : columns) | step(yellowBlue.scale, 63) << 3 | step(redGreen.scale, 63) << 9
            | (isLandscape ? 1 << 15 : 0)
        var bytes = [first & 255, first >> 8 & 255, first >> 16, second & 255, second >> 8].map { UInt8($0) }
        if hasAlpha { bytes.append(UInt8(step(alpha.mean, 15) | step(alpha.scale, 15) << 4)) }
        return bytes + halves(lightness.parts + yellowBlue.parts + redGreen.parts + alpha.parts)
    }

    private func step(_ value: Double, _ steps: Double) -> Int {
        Int((min(1, max(0, value)) * steps).rounded())
    }

    private func halves(_ parts: [Double]) -> [UInt8] {
        stride(from: 0, to: parts.count, by: 2).map { place in
            let low = step(parts[place], 15)
            let high = place + 1 < parts.count ? step(parts[place + 1], 15) : 0
            return UInt8(low | high << 4)
        }
    }

    private func channel(_ index: Int, _ columns: Int, _ rows: Int) -> Channel {
        let values = channels.map { SIMD2($0[index], 0) }
        var channel = Channel()
        for place in ThumbHashWaves.places(columns, rows) {
            let amount = samples.sum(values, place.column, place.row, .middle)[0] / Double(samples.count)
            if place == (0, 0) {
                channel.mean = amount
            } else {
                channel.parts.append(amount)
                channel.scale = max(channel.scale, abs(amount))
            }
        }
        // A flat channel has no waves: all its parts are nothing, as the scale says.
        if channel.scale > 0 { channel.parts = channel.parts.map { 0.5 + 0.5 / channel.scale * $0 } }
        return channel
    }
}
