import CWebImageRSVG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One file as librsvg holds it, for one drawing on one thread.
@safe struct SVGDocument: ~Copyable {
    private let handle: UnsafeMutablePointer<RsvgHandle>

    /// Reads a file. A handle that is made of bytes knows no place that relative names could lead from, and so opens no
    /// file.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        // librsvg would unpack gzip, without a bound.
        guard unsafe !bytes.starts(with: [0x1F, 0x8B]) else {
            throw ImageError(.badImageData, .decode, "the svg is packed with gzip; unpack it first")
        }
        var error: UnsafeMutablePointer<GError>?
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let handle = unsafe rsvg_handle_new_from_data(start, gsize(bytes.count), &error) else {
            throw unsafe Self.failure("is damaged", error)
        }
        unsafe rsvg_handle_set_dpi(handle, Self.dotsPerInch)
        unsafe self.handle = handle
    }

    deinit {
        unsafe g_object_unref(handle)
    }

    func probe() -> ImageProbe {
        ImageProbe(format: .svg, size: size.pixels, hasAlpha: true)
    }

    func draw(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        let region = try size.region(options)
        let target = size.target(options, of: region)
        let decoding = try decoding(of: target, options, monitor)
        guard target.width <= Self.maxSide, target.height <= Self.maxSide else {
            throw ImageError(
                .limitExceeded, .decode,
                "an svg is drawn no larger than \(Self.maxSide) pixels a side, not \(target); "
                    + "ask for a thumbnailPixelSize")
        }
        var pixels = try decoding.emptyPicture(target)
        try render(region, into: &pixels)
        try monitor.check()
        let hasAlpha = unsafe pixels.withUnsafeMutableBytes { unsafe CairoPixels.makeStraightRGBA($0) }
        return finished(try decoding.decode(pixels), isOpaque: !hasAlpha)
    }

    /// The size is settled here: for everything behind it the target is the picture's own size.
    private func decoding(
        of target: PixelSize, _ options: DecodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> RowDecoding {
        var options = options
        options.cropRect = nil
        options.thumbnailPixelSize = nil
        options.scaleDownByteLimit = nil
        return try RowDecoding(
            ImageProbe(format: .svg, size: target, hasAlpha: true), options: options, monitor: monitor)
    }

    private func finished(_ image: DecodedImage, isOpaque: Bool) -> DecodedImage {
        let own = size.pixels
        var (pixels, attributes) = (image.pixels, image.attributes)
        attributes.isVector = true
        attributes.isThumbnail = pixels.width < own.width || pixels.height < own.height
        if isOpaque { pixels.alpha = .opaque }
        return DecodedImage(pixels: pixels, attributes: attributes)
    }

    // MARK: Drawing

    private func render(_ region: PixelRect, into pixels: inout PixelBuffer) throws(ImageError) {
        let (bytesPerRow, target) = (pixels.bytesPerRow, pixels.size)
        try unsafe pixels.withUnsafeMutableBytes { bytes throws(ImageError) in
            let surface = unsafe cairo_image_surface_create_for_data(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(target.width),
                Int32(target.height), Int32(bytesPerRow))
            defer { unsafe cairo_surface_destroy(surface) }
            let context = unsafe cairo_create(surface)
            defer { unsafe cairo_destroy(context) }
            try unsafe render(region, on: context, target)
            unsafe cairo_surface_flush(surface)
        }
    }

    private func render(
        _ region: PixelRect, on context: OpaquePointer?, _ target: PixelSize
    ) throws(ImageError) {
        let own = size
        if region != PixelRect(own.pixels) {
            unsafe cairo_scale(
                context, Double(target.width) / Double(region.width), Double(target.height) / Double(region.height))
            unsafe cairo_translate(context, -Double(region.x), -Double(region.y))
        } else if target != own.pixels {
            unsafe cairo_scale(context, Double(target.width) / own.width, Double(target.height) / own.height)
        }
        var viewport = RsvgRectangle(x: 0, y: 0, width: own.width, height: own.height)
        var error: UnsafeMutablePointer<GError>?
        guard unsafe rsvg_handle_render_document(handle, context, &viewport, &error) != 0 else {
            throw unsafe Self.failure("cannot be drawn", error)
        }
        guard unsafe cairo_status(context) == CAIRO_STATUS_SUCCESS else {
            let reason = unsafe cairo_status_to_string(cairo_status(context)).map { unsafe String(cString: $0) }
            throw ImageError(.badImageData, .decode, "the svg cannot be drawn: \(reason ?? "cairo gives no reason")")
        }
    }

    // MARK: Size

    private static let dotsPerInch = 96.0
    /// cairo's own limit.
    private static let maxSide = 32_767

    private var size: SVGSize {
        var (hasWidth, hasHeight, hasViewBox) = (gboolean(0), gboolean(0), gboolean(0))
        var (width, height) = (RsvgLength(), RsvgLength())
        var viewBox = RsvgRectangle()
        unsafe rsvg_handle_get_intrinsic_dimensions(
            handle, &hasWidth, &width, &hasHeight, &height, &hasViewBox, &viewBox)
        let hasArea = hasViewBox != 0 && viewBox.width > 0 && viewBox.height > 0
        var (pixelWidth, pixelHeight) = (0.0, 0.0)
        if unsafe rsvg_handle_get_intrinsic_size_in_pixels(handle, &pixelWidth, &pixelHeight) != 0 {
            return SVGSize(width: pixelWidth, height: pixelHeight, viewBox: nil)
        }
        return SVGSize(
            width: hasWidth != 0 ? Self.pixels(width) : nil, height: hasHeight != 0 ? Self.pixels(height) : nil,
            viewBox: hasArea ? (viewBox.width, viewBox.height) : nil)
    }

    /// A length in pixels; `nil` for one that is relative to what stands around the picture.
    private static func pixels(_ length: RsvgLength) -> Double? {
        switch length.unit {
        case RSVG_UNIT_PX: length.length
        case RSVG_UNIT_IN: length.length * dotsPerInch
        case RSVG_UNIT_CM: length.length * dotsPerInch / 2.54
        case RSVG_UNIT_MM: length.length * dotsPerInch / 25.4
        case RSVG_UNIT_PT: length.length * dotsPerInch / 72
        case RSVG_UNIT_PC: length.length * dotsPerInch / 6
        // Of the font size that counts where nothing sets one.
        case RSVG_UNIT_EM: length.length * 12
        case RSVG_UNIT_EX: length.length * 6
        default: nil
        }
    }

    private static func failure(_ what: String, _ error: UnsafeMutablePointer<GError>?) -> ImageError {
        defer { if let error = unsafe error { unsafe g_error_free(error) } }
        let message = unsafe error?.pointee.message.map { unsafe String(cString: $0) }
        return ImageError(.badImageData, .decode, "the svg \(what): \(message ?? "librsvg gives no reason")")
    }
}
