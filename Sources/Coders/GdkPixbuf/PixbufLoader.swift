import CWebImageGdkPixbuf
import WebImageCore
import WebImagePixels

/// One pass of a gdk-pixbuf loader over one file.
@safe struct PixbufLoader: ~Copyable {
    private let handle: UnsafeMutablePointer<GdkPixbufLoader>
    private let watch: PixbufSizeWatch
    private let format: PixbufFormat

    /// - Parameter purpose: What happens when the size is known.
    init(_ format: PixbufFormat, _ purpose: PixbufSizeWatch.Purpose) throws(ImageError) {
        var error: UnsafeMutablePointer<GError>?
        guard let handle = unsafe gdk_pixbuf_loader_new_with_type(format.loaderName, &error) else {
            throw unsafe Self.failure(format, "cannot be read", error)
        }
        unsafe self.handle = handle
        self.format = format
        watch = PixbufSizeWatch(format.name, purpose)
        unsafe watch.connect(to: handle)
    }

    deinit {
        // A loader that is not closed complains. It lets go of the watch here, at the latest.
        unsafe gdk_pixbuf_loader_close(handle, nil)
        unsafe g_object_unref(handle)
    }

    /// The size that the header tells, with nothing decoded.
    func size(of bytes: UnsafeRawBufferPointer) throws(ImageError) -> PixelSize {
        do {
            try unsafe feed(bytes, nil)
            try close()
        } catch {
            // Once it is known that no picture is wanted, whatever ends the work is no fault of the file.
            if let size = watch.size { return size }
            throw error
        }
        if let size = watch.size { return size }
        guard let pixbuf = unsafe Pixbuf(of: handle, format) else { throw noPicture() }
        return pixbuf.size
    }

    /// The whole picture.
    func load(
        _ bytes: UnsafeRawBufferPointer, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Pixbuf {
        do {
            try unsafe feed(bytes, monitor)
            try close()
        } catch {
            throw watch.error ?? error
        }
        if let error = watch.error { throw error }
        guard let pixbuf = unsafe Pixbuf(of: handle, format) else { throw noPicture() }
        // The loader of PNM finds nothing wrong with a file that ends too early.
        guard watch.rowCount >= pixbuf.size.height else {
            throw ImageError(
                .badImageData, .decode,
                "the \(format.name) is truncated: it ends after \(bytes.count) bytes in row \(watch.rowCount)")
        }
        return pixbuf
    }

    /// Gives the bytes in pieces, between which the work can end.
    private func feed(_ bytes: UnsafeRawBufferPointer, _ monitor: DecodeMonitor?) throws(ImageError) {
        for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
            try monitor?.check()
            if watch.isDone { return }
            let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.pieceSize, bytes.count)])
            var error: UnsafeMutablePointer<GError>?
            guard
                unsafe gdk_pixbuf_loader_write(
                    handle, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), gsize(piece.count), &error) != 0
            else { throw unsafe Self.failure(format, "is damaged before byte \(start + piece.count)", error) }
        }
    }

    private func close() throws(ImageError) {
        var error: UnsafeMutablePointer<GError>?
        guard unsafe gdk_pixbuf_loader_close(handle, &error) != 0 else {
            throw unsafe Self.failure(format, "is damaged or truncated", error)
        }
    }

    private static let pieceSize = 1 << 16

    private func noPicture() -> ImageError {
        ImageError(.badImageData, .decode, "the \(format.name) is damaged or truncated: it holds no picture")
    }

    private static func failure(
        _ format: PixbufFormat, _ what: String, _ error: UnsafeMutablePointer<GError>?
    ) -> ImageError {
        defer { if let error = unsafe error { unsafe g_error_free(error) } }
        let message = unsafe error?.pointee.message.map { unsafe String(cString: $0) }
        return ImageError(
            .badImageData, .decode, "the \(format.name) \(what): \(message ?? "gdk-pixbuf gives no reason")")
    }
}
