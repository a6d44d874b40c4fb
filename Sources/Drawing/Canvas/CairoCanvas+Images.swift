import CWebImagePangoCairo
import WebImageCore
import WebImagePixels

extension CairoCanvas {
    /// Draws a picture into a rectangle that has an area and lies within reach.
    func draw(_ picture: PixelBuffer, in rect: ImageRect, opacity: Double, _ interpolation: ImageInterpolation) {
        var pixels = resampled(picture.drawable, to: rect, interpolation)
        let (size, stride, isOpaque) = (pixels.size, pixels.bytesPerRow, pixels.alpha == .opaque)
        unsafe pixels.withUnsafeMutableBytes { bytes in
            unsafe CairoPixels.exchangeRedAndBlue(bytes)
            guard
                let source = unsafe CairoSurface.make(bytes, bytesPerRow: stride, size: size, isOpaque: isOpaque)
            else {
                return fail("a picture of \(size) cannot be drawn; a side has at most \(CairoSurface.maxSide) pixels")
            }
            unsafe paint(source, size, in: rect, opacity: opacity, interpolation)
            unsafe CairoSurface.release(source)
        }
    }

    private func paint(
        _ source: OpaquePointer, _ size: PixelSize, in rect: ImageRect, opacity: Double,
        _ interpolation: ImageInterpolation
    ) {
        unsafe cairo_save(cairo)
        unsafe cairo_translate(cairo, rect.x, rect.y)
        unsafe cairo_scale(cairo, rect.width / Double(size.width), rect.height / Double(size.height))
        unsafe cairo_set_source_surface(cairo, source, 0, 0)
        let pattern = unsafe cairo_get_source(cairo)
        unsafe cairo_pattern_set_filter(pattern, interpolation.filter)
        // The edge pixels go on, so that the rectangle's edges are not half transparent.
        unsafe cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
        unsafe cairo_new_path(cairo)
        unsafe cairo_rectangle(cairo, 0, 0, Double(size.width), Double(size.height))
        if setOperator() {
            unsafe cairo_clip(cairo)
            unsafe cairo_paint_with_alpha(cairo, opacity)
        }
        unsafe cairo_restore(cairo)
    }

    /// The picture in the size that it will have, where it lies straight and that is no larger than itself or the
    /// canvas.
    private func resampled(
        _ pixels: PixelBuffer, to rect: ImageRect, _ interpolation: ImageInterpolation
    ) -> PixelBuffer {
        guard interpolation == .high, let scale = matrix.straightScale else { return pixels }
        let width = max(1, (rect.width * scale.x).rounded())
        let height = max(1, (rect.height * scale.y).rounded())
        guard width <= Double(max(size.width, pixels.width)), height <= Double(max(size.height, pixels.height)) else {
            return pixels
        }
        let target = PixelSize(Int(width), Int(height))
        let isLarger = target.width > pixels.width || target.height > pixels.height
        return pixels.resized(to: target, resampling: isLarger ? .mitchell : .lanczos3) ?? pixels
    }
}

extension ImageInterpolation {
    fileprivate var filter: cairo_filter_t {
        switch self {
        case .none: CAIRO_FILTER_NEAREST
        case .low: CAIRO_FILTER_BILINEAR
        case .high: CAIRO_FILTER_GOOD
        }
    }
}
