import CWebImageGdkPixbuf
import WebImageCore
import WebImagePixels

/// A picture that a loader made: 8-bit RGB or RGBA with straight alpha.
@safe struct Pixbuf: ~Copyable {
    private let handle: OpaquePointer
    private let format: PixbufFormat

    /// `nil` when the loader has none.
    init?(of loader: UnsafeMutablePointer<GdkPixbufLoader>, _ format: PixbufFormat) {
        guard let handle = unsafe gdk_pixbuf_loader_get_pixbuf(loader) else { return nil }
        unsafe g_object_ref(UnsafeMutableRawPointer(handle))
        unsafe self.handle = handle
        self.format = format
    }

    deinit {
        unsafe g_object_unref(UnsafeMutableRawPointer(handle))
    }

    var size: PixelSize {
        unsafe PixelSize(Int(gdk_pixbuf_get_width(handle)), Int(gdk_pixbuf_get_height(handle)))
    }

    func decode(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        let step = unsafe gdk_pixbuf_get_has_alpha(handle) != 0 ? 4 : 3
        let probe = ImageProbe(format: format.name, size: size, hasAlpha: step == 4)
        let decoding = try RowDecoding(probe, options: options, monitor: monitor)
        guard let pixels = unsafe gdk_pixbuf_read_pixels(handle), unsafe gdk_pixbuf_get_bits_per_sample(handle) == 8
        else { throw ImageError(.badImageData, .decode, "the \(format.name) has no pixels of 8 bits a sample") }
        let bytesPerRow = unsafe Int(gdk_pixbuf_get_rowstride(handle))
        var cover: UInt8 = 255
        let image = try decoding.decode { sink throws(ImageError) in
            for y in 0..<sink.sourceSize.height {
                try unsafe sink.withNextRow { row throws(ImageError) in
                    let source = unsafe UnsafeBufferPointer(
                        start: pixels + y * bytesPerRow, count: row.count / 4 * step)
                    unsafe cover &= Self.copy(source, to: row)
                }
            }
        }
        return cover == 255 ? Self.opaque(image) : image
    }

    /// Loaders give alpha to pictures whose fourth byte means nothing.
    private static func opaque(_ image: DecodedImage) -> DecodedImage {
        var pixels = image.pixels
        pixels.alpha = .opaque
        return DecodedImage(pixels: pixels, attributes: image.attributes)
    }

    /// Copies RGBA, and gives RGB full alpha.
    ///
    /// - Returns: 255 when every pixel is opaque.
    private static func copy(
        _ source: UnsafeBufferPointer<UInt8>, to row: UnsafeMutableRawBufferPointer
    ) -> UInt8 {
        if source.count == row.count {
            unsafe row.copyMemory(from: UnsafeRawBufferPointer(source))
            return stride(from: 3, to: row.count, by: 4).reduce(255) { unsafe $0 & row[$1] }
        }
        for x in 0..<row.count / 4 {
            let pixel = unsafe SIMD4(source[x * 3], source[x * 3 + 1], source[x * 3 + 2], 255)
            unsafe row.storeBytes(of: pixel, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
        }
        return 255
    }
}
