extension PixelBuffer {
    /// The picture, half floats that may be mixed, after a kernel along its columns and one along its rows; `nil` is a
    /// direction in which nothing changes. What is not a finite number counts as the nearest that is, or as 0.
    func blurredHalves(columns: BlurKernel?, rows: BlurKernel?) -> PixelBuffer {
        var result = self
        let (width, height, bytesPerRow) = (width, height, bytesPerRow)
        unsafe result.withUnsafeMutableBytes { bytes in
            if let columns {
                var line = BlurLine(columns, length: height)
                for x in 0..<width { unsafe line.blur(bytes, from: x &* 8, step: bytesPerRow) }
            }
            if let rows {
                var line = BlurLine(rows, length: width)
                for y in 0..<height { unsafe line.blur(bytes, from: y &* bytesPerRow, step: 8) }
            }
        }
        return result
    }
}

/// A line of pixels on its way through a kernel. In 64-bit floats the sums of half floats are exact, so that what is
/// flat stays flat however far a sum runs.
private struct BlurLine {
    private let kernel: BlurKernel
    private let length: Int
    private let margin: Int
    /// The line, and before and behind it its ends for ever.
    private var padded: [SIMD4<Double>]
    private var other: [SIMD4<Double>]

    init(_ kernel: BlurKernel, length: Int) {
        self.kernel = kernel
        self.length = length
        margin =
            switch kernel {
            case .weights(let weights): weights.count / 2
            case .boxes(let boxes): (boxes.reduce(0, +) - boxes.count) / 2
            }
        padded = Array(repeating: .zero, count: length + 2 * margin)
        other = padded
    }

    /// Blurs a line of pixels that lie `step` bytes apart, in place.
    mutating func blur(_ bytes: UnsafeMutableRawBufferPointer, from start: Int, step: Int) {
        for index in 0..<length {
            let pixel = unsafe bytes.loadUnaligned(fromByteOffset: start + index * step, as: SIMD4<Float16>.self)
            padded[margin + index] = SIMD4<Double>(SIMD4<Float>(pixel).finiteHalf)
        }
        for index in 0..<margin {
            padded[index] = padded[margin]
            padded[margin + length + index] = padded[margin + length - 1]
        }
        smooth()
        for index in 0..<length {
            unsafe bytes.storeBytes(
                of: SIMD4<Float16>(SIMD4<Float>(padded[index])), toByteOffset: start + index * step,
                as: SIMD4<Float16>.self)
        }
    }

    private mutating func smooth() {
        switch kernel {
        case .weights(let weights): weigh(weights)
        case .boxes(let boxes):
            var count = padded.count
            for box in boxes {
                count -= box - 1
                average(box, count)
            }
        }
    }

    private mutating func weigh(_ weights: [UInt16]) {
        for index in 0..<length {
            var sum = SIMD4<Double>.zero
            for tap in weights.indices { sum += padded[index + tap] * Double(weights[tap]) }
            other[index] = sum / 65536
        }
        swap(&padded, &other)
    }

    /// Makes each of the first `count` pixels the mean of it and of those behind it, `width` in all.
    private mutating func average(_ width: Int, _ count: Int) {
        var sum = padded[..<(width - 1)].reduce(SIMD4<Double>.zero, +)
        for index in 0..<count {
            sum += padded[index + width - 1]
            other[index] = sum / Double(width)
            sum -= padded[index]
        }
        swap(&padded, &other)
    }
}

extension SIMD4<Float> {
    /// What a half float can hold: infinities become the largest number, what is not a number becomes 0.
    var finiteHalf: SIMD4<Float> {
        let limit = SIMD4<Float>(repeating: Float(Float16.greatestFiniteMagnitude))
        let numbers = SIMD4<Float>.zero.replacing(with: self, where: self .== self)
        return numbers.clamped(lowerBound: -limit, upperBound: limit)
    }
}
