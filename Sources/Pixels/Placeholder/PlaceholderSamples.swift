/// A picture of at most 100 pixels a side, as the hashes are computed from: colour and alpha, straight, 0…1.
struct PlaceholderSamples {
    let size: PixelSize
    let straight: [SIMD4<Double>]

    var count: Int { straight.count }

    init(_ pixels: PixelBuffer) {
        let target = pixels.size.fitted(in: ImageSize(100, 100))
        let small = pixels.resized(to: target, resampling: .box) ?? pixels
        size = small.size
        var samples: [SIMD4<Double>] = []
        samples.reserveCapacity(small.width * small.height)
        for y in 0..<small.height {
            for x in 0..<small.width {
                let color = small.color(x: x, y: y) ?? .clear
                samples.append(
                    SIMD4(Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha)) / 255)
            }
        }
        straight = samples
    }

    /// What a wave across and down has in common with values of the picture, pixel by pixel.
    func sum<Value: SIMD>(
        _ values: [Value], _ column: Int, _ row: Int, _ origin: CosineTable.Origin
    ) -> Value where Value.Scalar == Double {
        let across = CosineTable(count: size.width, waves: column + 1, origin)
        let down = CosineTable(count: size.height, waves: row + 1, origin)
        var sum = Value.zero
        for y in 0..<size.height {
            var line = Value.zero
            for x in 0..<size.width { line += values[y * size.width + x] * across[column, x] }
            sum += line * down[row, y]
        }
        return sum
    }
}

/// cos(π · wave · place / count), the place counted from a pixel's edge or from its middle.
struct CosineTable {
    /// Where a place is counted from.
    enum Origin: Double {
        /// As BlurHash does.
        case edge = 0
        /// As ThumbHash and the discrete cosine transform do.
        case middle = 0.5
    }

    private let values: [Double]
    private let count: Int

    init(count: Int, waves: Int, _ origin: Origin) {
        self.count = count
        var values: [Double] = []
        values.reserveCapacity(count * waves)
        for wave in 0..<waves {
            for place in 0..<count {
                let angle = .pi * Double(wave) * (Double(place) + origin.rawValue) / Double(count)
                values.append(Angle(angle).cosine)
            }
        }
        self.values = values
    }

    subscript(wave: Int, place: Int) -> Double { values[wave * count + place] }
}
