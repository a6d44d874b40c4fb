import WebImageCore
import WebImagePixels

extension PixelBuffer {
    /// Draws on the picture, which is as cairo can take it. After an error it is in no useful state.
    ///
    /// - Parameters:
    ///   - scale: Pixels per point.
    ///   - actions: The drawing; what it throws is thrown as it is where it is an `ImageError`.
    mutating func draw(
        scale: Double, _ actions: (DrawingContext) throws -> Void
    ) throws(ImageError) {
        let (size, stride, isOpaque) = (size, bytesPerRow, alpha == .opaque)
        try unsafe withUnsafeMutableBytes { bytes throws(ImageError) in
            unsafe CairoPixels.exchangeRedAndBlue(bytes)
            guard let canvas = unsafe CairoCanvas(bytes, bytesPerRow: stride, size: size, isOpaque: isOpaque) else {
                throw ImageError(
                    .limitExceeded, .transform,
                    "cairo cannot draw on a picture of \(size); a side has at most \(CairoSurface.maxSide) pixels")
            }
            try canvas.run(size: size, scale: scale, actions)
            unsafe CairoPixels.exchangeRedAndBlue(bytes, filling: isOpaque ? 0xFF00_0000 : 0)
        }
    }
}

extension CairoCanvas {
    /// Runs a drawing to its end. The canvas lets the pixels go before this returns.
    fileprivate func run(
        size: PixelSize, scale: Double, _ actions: (DrawingContext) throws -> Void
    ) throws(ImageError) {
        defer { finish() }
        let context = DrawingContext(self, size: ImageSize(size), scale: scale)
        do {
            try actions(context)
        } catch let error as ImageError {
            throw error
        } catch {
            throw ImageError(
                .transformFailed, .transform, "the closure that draws failed: \(error)", underlying: error)
        }
        try check()
    }
}
