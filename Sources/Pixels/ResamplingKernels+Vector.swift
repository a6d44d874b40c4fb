import CWebImageKernels

/// `PortableByteKernels` with AVX2, SSE4.1 or NEON.
///
/// `@unchecked Sendable`: the loops are constants of the program.
@safe struct VectorByteKernels: ResamplingKernels, @unchecked Sendable {
    let block = 4
    let spreadBytesPerPixel = 8
    let groupBytesPerPixel = 32
    private let loops: cwebimage_resample_bytes

    /// `nil` where this processor has no such registers.
    init?(_ loops: UnsafePointer<cwebimage_resample_bytes>?) {
        guard let loops = unsafe loops else { return nil }
        self.loops = unsafe loops.pointee
    }

    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer) {
        unsafe loops.spread(
            row.baseAddress?.assumingMemoryBound(to: UInt8.self), row.count,
            spread.baseAddress?.assumingMemoryBound(to: Int16.self), spread.count / 2, alpha == .straight)
    }

    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer
    ) {
        unsafe axis.withUnsafeAxis { axis in
            unsafe loops.across(
                rows.baseAddress?.assumingMemoryBound(to: Int16.self), rows.count / 2 / rowsPerGroup, axis,
                group.baseAddress?.assumingMemoryBound(to: Int16.self), group.count / 2,
                next.baseAddress?.assumingMemoryBound(to: UInt8.self), next.count)
        }
    }

    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer) {
        unsafe withUnsafeBytes(of: weights) { weights in
            unsafe loops.add(
                group.baseAddress?.assumingMemoryBound(to: Int16.self),
                weights.baseAddress?.assumingMemoryBound(to: Int16.self),
                sums.baseAddress?.assumingMemoryBound(to: Int32.self), min(sums.count / 4, group.count / 8))
        }
    }

    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool) {
        unsafe loops.round(
            sums.baseAddress?.assumingMemoryBound(to: Int32.self), sums.count / 4,
            row.baseAddress?.assumingMemoryBound(to: UInt8.self), row.count, isOpaque)
    }
}

/// `PortableHalfKernels` with AVX2 and F16C.
struct VectorHalfKernels: ResamplingKernels {
    let block = 1
    let spreadBytesPerPixel = 16
    let groupBytesPerPixel = 64

    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer) {
        unsafe cwebimage_resample_widen(
            row.baseAddress?.assumingMemoryBound(to: UInt16.self),
            spread.baseAddress?.assumingMemoryBound(to: Float.self), min(row.count / 2, spread.count / 4))
    }

    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer
    ) {
        let (from, count) = unsafe (rows.baseAddress?.assumingMemoryBound(to: Float.self), rows.count / 16)
        let (to, narrowedCount) = unsafe (group.baseAddress?.assumingMemoryBound(to: Float.self), group.count / 16)
        unsafe axis.withUnsafeAxis { axis in
            for row in 0..<rowsPerGroup {
                unsafe cwebimage_resample_across_floats(
                    from.map { unsafe $0 + row * count }, count, axis, to.map { unsafe $0 + row * narrowedCount },
                    narrowedCount)
            }
        }
    }

    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer) {
        let (start, count) = unsafe (group.baseAddress?.assumingMemoryBound(to: Float.self), group.count / 16)
        for row in 0..<rowsPerGroup where weights[row] != 0 {
            unsafe cwebimage_resample_add_floats(
                start.map { unsafe $0 + row * count }, Float(weights[row]),
                sums.baseAddress?.assumingMemoryBound(to: Float.self), min(count, sums.count / 4))
        }
    }

    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool) {
        let count = min(sums.count / 4, row.count / 2)
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { settled in
            for index in stride(from: 0, to: count & ~3, by: 4) {
                let sum = unsafe sums.loadUnaligned(fromByteOffset: index &* 4, as: SIMD4<Float>.self)
                let pixel = settledHalf(sum * halfUnit, isOpaque: isOpaque)
                for channel in 0..<4 { unsafe settled[index &+ channel] = pixel[channel] }
            }
            unsafe cwebimage_resample_narrow(
                settled.baseAddress, row.baseAddress?.assumingMemoryBound(to: UInt16.self), count)
        }
    }
}

extension ResamplingAxis {
    fileprivate func withUnsafeAxis(_ body: (UnsafePointer<cwebimage_axis>) -> Void) {
        unsafe starts.withUnsafeBufferPointer { starts in
            unsafe weights.withUnsafeBufferPointer { weights in
                var axis = unsafe cwebimage_axis(
                    starts: starts.baseAddress, weights: weights.baseAddress, target_count: starts.count,
                    stride: stride)
                unsafe withUnsafePointer(to: &axis) { unsafe body($0) }
            }
        }
    }
}
