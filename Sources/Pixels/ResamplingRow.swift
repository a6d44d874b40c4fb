/// One row between the two passes of the resampler, at source width: what a target row is before it is narrowed.
struct ResamplingRow: Sendable {
    private enum Samples: Sendable {
        /// 8-bit values times 64, so that the second pass rounds once.
        case fixed([Int16])
        case float([Float])
    }

    private static let fractionBits: Int32 = 6
    private var samples: Samples

    init(sampleCount: Int, format: PixelFormat) {
        switch format {
        case .rgba8: samples = .fixed([Int16](repeating: 0, count: sampleCount))
        case .rgbaHalf: samples = .float([Float](repeating: 0, count: sampleCount))
        }
    }

    /// The vertical pass: adds up weighted source rows, which lie in a ring.
    mutating func gather(
        _ ring: UnsafeRawBufferPointer, firstRow: Int, bytesPerRow: Int, weights: ArraySlice<Int16>
    ) {
        let rowCount = ring.count / bytesPerRow
        let offsets = (0..<weights.count).map { (firstRow + $0) % rowCount * bytesPerRow }
        switch samples {
        case .fixed(var values):
            samples = .fixed([])
            unsafe Self.gatherFixed(ring, offsets, Array(weights), &values)
            samples = .fixed(values)
        case .float(var values):
            samples = .float([])
            unsafe Self.gatherFloat(ring, offsets, Array(weights), &values)
            samples = .float(values)
        }
    }

    /// The horizontal pass: writes the target row.
    func scatter(to row: UnsafeMutableRawBufferPointer, _ axis: ResamplingAxis, isOpaque: Bool) {
        switch samples {
        case .fixed(let values): unsafe Self.scatterFixed(values, row, axis, isOpaque)
        case .float(let values): unsafe Self.scatterFloat(values, row, axis)
        }
    }

    private static func gatherFixed(
        _ ring: UnsafeRawBufferPointer, _ offsets: [Int], _ weights: [Int16], _ values: inout [Int16]
    ) {
        let shift = ResamplingAxis.fixedPointBits - fractionBits
        let half = Int32(1) << (shift - 1)
        let count = values.count
        let base = unsafe ring.baseAddress.unsafelyUnwrapped
        unsafe values.withUnsafeMutableBufferPointer { values in
            unsafe offsets.withUnsafeBufferPointer { offsets in
                unsafe weights.withUnsafeBufferPointer { weights in
                    var x = 0
                    while x + 16 <= count {
                        var sum = SIMD16<Int32>(repeating: half)
                        for tap in 0..<offsets.count {
                            let bytes = unsafe base.loadUnaligned(
                                fromByteOffset: offsets[tap] &+ x, as: SIMD16<UInt8>.self)
                            sum &+= unsafe SIMD16<Int32>(truncatingIfNeeded: bytes) &* Int32(weights[tap])
                        }
                        let row = unsafe UnsafeMutableRawPointer(values.baseAddress.unsafelyUnwrapped + x)
                        unsafe row.storeBytes(
                            of: SIMD16<Int16>(truncatingIfNeeded: sum &>> shift), as: SIMD16<Int16>.self)
                        x &+= 16
                    }
                    while x < count {
                        var sum = half
                        for tap in 0..<offsets.count {
                            sum &+=
                                unsafe Int32(base.load(fromByteOffset: offsets[tap] &+ x, as: UInt8.self))
                                &* Int32(weights[tap])
                        }
                        unsafe values[x] = Int16(truncatingIfNeeded: sum &>> shift)
                        x &+= 1
                    }
                }
            }
        }
    }

    private static func scatterFixed(
        _ values: [Int16], _ row: UnsafeMutableRawBufferPointer, _ axis: ResamplingAxis, _ isOpaque: Bool
    ) {
        let shift = ResamplingAxis.fixedPointBits + fractionBits
        let half = SIMD4<Int32>(repeating: Int32(1) << (shift - 1))
        unsafe values.withUnsafeBytes { values in
            unsafe axis.weights.withUnsafeBufferPointer { weights in
                for x in 0..<axis.targetCount {
                    let start = axis.starts[x]
                    var sum = half
                    for tap in 0..<axis.counts[x] {
                        let pixel = unsafe values.loadUnaligned(
                            fromByteOffset: (start &+ tap) &* 8, as: SIMD4<Int16>.self)
                        sum &+=
                            unsafe SIMD4<Int32>(truncatingIfNeeded: pixel)
                            &* Int32(weights[x &* axis.stride &+ tap])
                    }
                    var pixel = (sum &>> shift).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
                    // Ringing must not lift a colour above its alpha.
                    if isOpaque {
                        pixel.w = 255
                    } else {
                        pixel.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w))
                    }
                    unsafe row.storeBytes(
                        of: SIMD4<UInt8>(truncatingIfNeeded: pixel), toByteOffset: x &* 4, as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    private static func gatherFloat(
        _ ring: UnsafeRawBufferPointer, _ offsets: [Int], _ weights: [Int16], _ values: inout [Float]
    ) {
        let one = Float(Int32(1) << ResamplingAxis.fixedPointBits)
        for x in values.indices {
            var sum: Float = 0
            for tap in offsets.indices {
                let sample = unsafe ring.loadUnaligned(fromByteOffset: offsets[tap] + x * 2, as: Float16.self)
                sum += Float(sample) * Float(weights[tap])
            }
            values[x] = sum / one
        }
    }

    private static func scatterFloat(_ values: [Float], _ row: UnsafeMutableRawBufferPointer, _ axis: ResamplingAxis) {
        let one = Float(Int32(1) << ResamplingAxis.fixedPointBits)
        for x in 0..<axis.targetCount {
            var sum = SIMD4<Float>.zero
            for tap in 0..<axis.counts[x] {
                let start = (axis.starts[x] + tap) * 4
                let pixel = SIMD4(values[start], values[start + 1], values[start + 2], values[start + 3])
                sum += pixel * Float(axis.weights[x * axis.stride + tap])
            }
            let pixel = sum / one
            unsafe row.storeBytes(of: SIMD4<Float16>(pixel), toByteOffset: x * 8, as: SIMD4<Float16>.self)
        }
    }
}
