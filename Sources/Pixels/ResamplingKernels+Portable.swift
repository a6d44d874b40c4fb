/// 8-bit pixels, with 14-bit weights. A source row is spread to floats, which hold its weighted sums exactly.
struct PortableByteKernels: ResamplingKernels {
    let block = 1
    let spreadBytesPerPixel = 16
    let groupBytesPerPixel = 32

    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: row.count & ~3, by: 4) {
            let pixel = unsafe row.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
            let samples = SIMD4<UInt32>(truncatingIfNeeded: pixel)
            unsafe spread.storeBytes(
                of: SIMD4<Float>(alpha == .straight ? Self.premultiplied(samples) : samples),
                toByteOffset: offset &* 4, as: SIMD4<Float>.self)
        }
    }

    /// As `premultiply(_:)` rounds.
    private static func premultiplied(_ samples: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var factors = SIMD4(repeating: samples.w)
        factors.w = 255
        let products = samples &* factors &+ 128
        return (products &+ (products &>> 8)) &>> 8
    }

    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer
    ) {
        let shift = ResamplingAxis.fixedPointBits - narrowedFractionBits
        let half = SIMD8<Int32>(repeating: 1 << (shift - 1))
        unsafe forEachWindow(rows, axis) { target, pair, sums in
            let rounded = ((SIMD8<Int32>(sums) &+ half) &>> shift)
                .clamped(lowerBound: SIMD8(repeating: -32768), upperBound: SIMD8(repeating: 32767))
            // The rows' samples side by side.
            let both = (rounded.lowHalf & 0xFFFF) | (rounded.highHalf &<< 16)
            let place = (pair &* axis.targetCount &+ target) &* 16
            unsafe group.storeBytes(of: both, toByteOffset: place, as: SIMD4<Int32>.self)
        }
    }

    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer) {
        let factors = SIMD4<Int32>(truncatingIfNeeded: weights)
        for pair in 0..<2 {
            let (one, other) = (factors[pair &* 2], factors[pair &* 2 &+ 1])
            for offset in stride(from: 0, to: sums.count, by: 16) {
                let both = unsafe group.loadUnaligned(
                    fromByteOffset: pair &* sums.count &+ offset, as: SIMD4<Int32>.self)
                var sum = unsafe sums.loadUnaligned(fromByteOffset: offset, as: SIMD4<Int32>.self)
                sum &+= ((both &<< 16) &>> 16) &* one &+ (both &>> 16) &* other
                unsafe sums.storeBytes(of: sum, toByteOffset: offset, as: SIMD4<Int32>.self)
            }
        }
    }

    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool) {
        let shift = ResamplingAxis.fixedPointBits + narrowedFractionBits
        let half = SIMD4<Int32>(repeating: 1 << (shift - 1))
        for offset in stride(from: 0, to: row.count & ~3, by: 4) {
            let sum = unsafe sums.loadUnaligned(fromByteOffset: offset &* 4, as: SIMD4<Int32>.self)
            var pixel = ((sum &+ half) &>> shift).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
            if isOpaque {
                pixel.w = 255
            } else {
                // Ringing must not lift a colour above its alpha.
                pixel.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: pixel.w))
            }
            unsafe row.storeBytes(
                of: SIMD4<UInt8>(truncatingIfNeeded: pixel), toByteOffset: offset, as: SIMD4<UInt8>.self)
        }
    }
}

/// Half floats, worked on as floats; every sum is added up in the same order.
struct PortableHalfKernels: ResamplingKernels {
    let block = 1
    let spreadBytesPerPixel = 16
    let groupBytesPerPixel = 64

    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: row.count & ~7, by: 8) {
            let pixel = unsafe row.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float16>.self)
            unsafe spread.storeBytes(of: SIMD4<Float>(pixel), toByteOffset: offset &* 2, as: SIMD4<Float>.self)
        }
    }

    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer
    ) {
        unsafe forEachWindow(rows, axis) { target, pair, sums in
            let narrowed = sums * halfUnit
            let place = (pair &* 2 &* axis.targetCount &+ target) &* 16
            unsafe group.storeBytes(of: narrowed.lowHalf, toByteOffset: place, as: SIMD4<Float>.self)
            unsafe group.storeBytes(
                of: narrowed.highHalf, toByteOffset: place &+ axis.targetCount &* 16, as: SIMD4<Float>.self)
        }
    }

    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer) {
        for row in 0..<rowsPerGroup where weights[row] != 0 {
            let factor = Float(weights[row])
            for offset in stride(from: 0, to: sums.count, by: 16) {
                let pixel = unsafe group.loadUnaligned(
                    fromByteOffset: row &* sums.count &+ offset, as: SIMD4<Float>.self)
                let sum = unsafe sums.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
                unsafe sums.storeBytes(of: sum + pixel * factor, toByteOffset: offset, as: SIMD4<Float>.self)
            }
        }
    }

    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool) {
        for offset in stride(from: 0, to: row.count & ~7, by: 8) {
            let sum = unsafe sums.loadUnaligned(fromByteOffset: offset &* 2, as: SIMD4<Float>.self)
            let pixel = settledHalf(sum * halfUnit, isOpaque: isOpaque)
            unsafe row.storeBytes(of: SIMD4<Float16>(pixel), toByteOffset: offset, as: SIMD4<Float16>.self)
        }
    }
}

/// 1 / 2¹⁴, what a weighted sum is multiplied by: exact.
let halfUnit = 1 / Float(Int32(1) << ResamplingAxis.fixedPointBits)

/// A pixel with an alpha that it may have. Colours may be above 1, and above alpha: light beyond white.
@inline(__always)
func settledHalf(_ pixel: SIMD4<Float>, isOpaque: Bool) -> SIMD4<Float> {
    var result = pixel
    if isOpaque {
        result.w = 1
    } else if !(pixel.w > 0) {
        result = .zero
    } else if pixel.w > 1 {
        result.w = 1
    }
    return result
}

/// The weighted sums of each window of four rows of float pixels, two rows at a time: those of the one row, then those
/// of the other.
@inline(__always)
private func forEachWindow(
    _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis,
    _ body: (_ target: Int, _ pair: Int, _ sums: SIMD8<Float>) -> Void
) {
    let bytesPerRow = rows.count / rowsPerGroup
    unsafe axis.weights.withUnsafeBufferPointer { weights in
        for pair in 0..<2 {
            for target in 0..<axis.targetCount {
                let start = pair &* 2 &* bytesPerRow &+ Int(axis.starts[target]) &* 16
                var sums = SIMD8<Float>.zero
                for tap in 0..<axis.stride {
                    let offset = start &+ tap &* 16
                    let one = unsafe rows.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
                    let other = unsafe rows.loadUnaligned(
                        fromByteOffset: offset &+ bytesPerRow, as: SIMD4<Float>.self)
                    sums += SIMD8(lowHalf: one, highHalf: other) * Float(unsafe weights[target &* axis.stride &+ tap])
                }
                body(target, pair, sums)
            }
        }
    }
}
