import CWebImagePangoCairo
import WebImagePixels

/// Surfaces of cairo on memory of ours.
enum CairoSurface {
    /// cairo's own limit, in pixels.
    static let maxSide = 32_767

    /// A surface, which must be released before the bytes are; `nil` when they are too few, or cairo will not have
    /// them.
    static func make(
        _ bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, size: PixelSize, isOpaque: Bool
    ) -> OpaquePointer? {
        guard !size.isEmpty, size.width <= maxSide, size.height <= maxSide, bytesPerRow >= size.width * 4,
            bytesPerRow <= Int(Int32.max), bytesPerRow * (size.height - 1) + size.width * 4 <= bytes.count
        else { return nil }
        let surface = unsafe cairo_image_surface_create_for_data(
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height),
            Int32(bytesPerRow))
        guard unsafe cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
            unsafe cairo_surface_destroy(surface)
            return nil
        }
        return unsafe surface
    }

    /// Ends a surface: after this nobody touches its bytes, whoever else still holds it.
    static func release(_ surface: OpaquePointer) {
        unsafe cairo_surface_flush(surface)
        unsafe cairo_surface_finish(surface)
        unsafe cairo_surface_destroy(surface)
    }
}
