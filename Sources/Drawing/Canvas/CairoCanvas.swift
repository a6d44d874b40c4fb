import CWebImagePangoCairo
import WebImageCore
import WebImagePixels

/// A cairo context on the pixels of one picture, for one drawing on one thread.
///
/// As with cairo the first error stays, and everything after it does nothing; the drawing ends with it.
@safe final class CairoCanvas {
    let cairo: OpaquePointer
    /// In pixels.
    let size: PixelSize
    /// What is drawn is multiplied by it; 0…1.
    var opacity = 1.0
    /// How it is laid over what is there.
    var blendMode = BlendMode.normal
    private(set) var failure: ImageError?
    private var isFinished = false
    private let surface: OpaquePointer

    /// A canvas on memory that outlives it; cairo touches nothing beyond `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The pixels, in cairo's order.
    ///   - bytesPerRow: Of four bytes each.
    ///   - size: At most 32,767 a side.
    ///   - isOpaque: Whether alpha is left out.
    init?(_ bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, size: PixelSize, isOpaque: Bool) {
        guard
            let surface = unsafe CairoSurface.make(
                bytes, bytesPerRow: bytesPerRow, size: size, isOpaque: isOpaque)
        else { return nil }
        self.size = size
        unsafe self.surface = surface
        // Never NULL: without memory cairo gives a context in an error state.
        unsafe cairo = cairo_create(surface)
    }

    deinit {
        unsafe cairo_destroy(cairo)
        unsafe CairoSurface.release(surface)
    }

    /// Ends all drawing: nothing touches the pixels after this.
    func finish() {
        isFinished = true
        unsafe cairo_surface_flush(surface)
        unsafe cairo_surface_finish(surface)
    }

    /// Whether the drawing goes on, without an error so far.
    var isSound: Bool { unsafe !isFinished && failure == nil && cairo_status(cairo) == CAIRO_STATUS_SUCCESS }

    /// Notes the first error.
    func fail(_ error: ImageError) {
        guard isSound else { return }
        failure = error
    }

    /// Notes the first error, of the code for arguments that cannot be drawn.
    func fail(_ message: String) {
        fail(ImageError(.transformFailed, .transform, message))
    }

    /// Throws the first error.
    func check() throws(ImageError) {
        if let failure { throw failure }
        let status = unsafe cairo_status(cairo)
        guard status != CAIRO_STATUS_SUCCESS else { return }
        let reason = unsafe cairo_status_to_string(status).map { unsafe String(cString: $0) }
        throw ImageError(
            .transformFailed, .transform,
            "cairo cannot draw this: \(reason ?? "it gives no reason"); "
                + "look for a scale of 0 or numbers that are very large")
    }

    /// How points become pixels now.
    var matrix: CairoMatrix {
        var matrix = cairo_matrix_t()
        unsafe cairo_get_matrix(cairo, &matrix)
        return CairoMatrix(matrix)
    }
}
