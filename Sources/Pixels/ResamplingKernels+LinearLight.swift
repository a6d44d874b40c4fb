/// 8-bit pixels, weighed as light: between the floats of `kernels` and the bytes stands the transfer function of sRGB.
struct LinearLightKernels<Floats: ResamplingKernels>: ResamplingKernels {
    /// Those of half floats, which work on floats.
    private let kernels: Floats

    init(_ kernels: Floats) {
        self.kernels = kernels
    }

    var block: Int { kernels.block }
    var spreadBytesPerPixel: Int { kernels.spreadBytesPerPixel }
    var groupBytesPerPixel: Int { kernels.groupBytesPerPixel }

    func spread(_ row: UnsafeRawBufferPointer, _ alpha: AlphaMode, to spread: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: row.count & ~3, by: 4) {
            let pixel = unsafe row.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
            unsafe spread.storeBytes(
                of: LinearLight.shared.light(of: pixel, alpha), toByteOffset: offset &* 4, as: SIMD4<Float>.self)
        }
    }

    func narrow(
        _ rows: UnsafeRawBufferPointer, _ axis: ResamplingAxis, to group: UnsafeMutableRawBufferPointer,
        next: UnsafeRawBufferPointer
    ) {
        unsafe kernels.narrow(rows, axis, to: group, next: next)
    }

    func add(_ group: UnsafeRawBufferPointer, _ weights: SIMD4<Int16>, to sums: UnsafeMutableRawBufferPointer) {
        unsafe kernels.add(group, weights, to: sums)
    }

    func round(_ sums: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, isOpaque: Bool) {
        for offset in stride(from: 0, to: row.count & ~3, by: 4) {
            let sum = unsafe sums.loadUnaligned(fromByteOffset: offset &* 4, as: SIMD4<Float>.self)
            let light = settledHalf(sum * halfUnit, isOpaque: isOpaque)
            unsafe row.storeBytes(of: LinearLight.shared.pixel(of: light), toByteOffset: offset, as: SIMD4<UInt8>.self)
        }
    }
}
