internal import CWebImageKernels

/// Which of the processor's instructions a kernel may use.
package enum KernelInstructions: Sendable {
    /// The best that the processor has.
    case best
    /// Those that every processor of its kind has; so that tests can compare.
    case baseline
}

extension PixelBuffer {
    /// The picture blurred as by a Gaussian; the size stays, and beyond its edges the picture's edge goes on, so that
    /// what is flat stays flat. Colours are weighed by alpha: those of invisible pixels do not bleed.
    ///
    /// - Parameter radius: The standard deviation in pixels. 0 and less changes nothing; along a side, more than half
    ///   of it counts as half of it. The time does not depend on it; half floats take many times that of bytes.
    /// - Returns: `nil` for a radius that is not a number.
    public func blurred(radius: Double) -> PixelBuffer? {
        blurred(radius: radius, .best)
    }

    package func blurred(radius: Double, _ instructions: KernelInstructions) -> PixelBuffer? {
        guard !radius.isNaN else { return nil }
        guard radius > 0 else { return self }
        let columns = BlurKernel(deviation: min(radius, Double(height) / 2))
        let rows = BlurKernel(deviation: min(radius, Double(width) / 2))
        let source = mixable
        guard format == .rgba8 else { return source.blurredHalves(columns: columns, rows: rows) }
        guard columns != nil || rows != nil,
            var result = PixelBuffer(uninitialized: size, layout: source.layout)
        else { return source }
        guard let columns else {
            result = source
            unsafe rows?.run(cwebimage_blur_rows, from: nil, into: &result, instructions)
            return result
        }
        unsafe columns.run(cwebimage_blur_columns, from: source, into: &result, instructions)
        unsafe rows?.run(cwebimage_blur_rows, from: nil, into: &result, instructions)
        return result
    }
}

extension BlurKernel {
    fileprivate typealias Direction = (
        UnsafePointer<cwebimage_blur>?, UnsafePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, Int, Int, Int, Int,
        UnsafeMutablePointer<UInt8>?, Int
    ) -> Int32

    /// Runs a kernel of C from one picture into another of the same size, or, without a source, in place.
    fileprivate func run(
        _ direction: Direction, from source: PixelBuffer?, into result: inout PixelBuffer,
        _ instructions: KernelInstructions
    ) {
        let (size, bytesPerRow) = (result.size, result.bytesPerRow)
        precondition(source.map { $0.size == size && $0.bytesPerRow == bytesPerRow } ?? true)
        unsafe withBlur(instructions) { blur in
            var blur = unsafe blur
            let count = unsafe cwebimage_blur_scratch_count(&blur, max(size.width, size.height))
            var scratch = [UInt8](repeating: 0, count: count)
            unsafe result.withUnsafeMutableBytes { to in
                func run(_ from: UnsafeRawBufferPointer) {
                    // The kernel checks the byte counts.
                    let isDone = unsafe direction(
                        &blur, from.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        to.baseAddress?.assumingMemoryBound(to: UInt8.self), min(from.count, to.count), bytesPerRow,
                        size.width, size.height, &scratch, count)
                    precondition(isDone == 1, "a picture is smaller than its own size")
                }
                if let source { unsafe source.withUnsafeBytes(run) } else { unsafe run(UnsafeRawBufferPointer(to)) }
            }
        }
    }

    private func withBlur(_ instructions: KernelInstructions, _ body: (cwebimage_blur) -> Void) {
        var blur = unsafe cwebimage_blur()
        unsafe blur.is_baseline = instructions == .baseline ? 1 : 0
        switch self {
        case .boxes(let boxes):
            unsafe blur.boxes = (boxes[0], boxes[1], boxes[2])
            unsafe body(blur)
        case .weights(let weights):
            unsafe weights.withUnsafeBufferPointer { weights in
                unsafe blur.weights = weights.baseAddress
                unsafe blur.weight_count = weights.count
                unsafe body(blur)
            }
        }
    }
}
