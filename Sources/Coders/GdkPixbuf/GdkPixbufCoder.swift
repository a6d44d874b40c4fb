public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads what the desktop's own loaders (gdk-pixbuf) read and no other coder of this library: TGA, PNM, XPM, XBM and
/// what else is installed. QuickTime's, Apple's icons and ANI are left out: their loaders know no limits.
///
/// Never a format that another coder of this library reads, whether that coder is registered or not. Add it **before**
/// all others, so that it is asked last.
/// Colour profiles are not told by the loaders and so not applied. A picture is held as a whole.
public struct GdkPixbufCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether an installed loader's signature matches and no other coder of this library would take the bytes.
    public func canDecode(_ data: Data) -> Bool {
        PixbufFormat(of: data) != nil
    }

    /// Reads as far as the loader needs to tell the size. `hasAlpha` says what the header leaves possible.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        let format = try PixbufFormat.required(of: data)
        let header = PixbufHeader(data, of: format)
        var probe = ImageProbe(format: format.name, size: PixelSize(0, 0), hasAlpha: header.mayHaveAlpha)
        if let size = header.size {
            probe.size = size
        } else {
            probe.size = try unsafe data.withImageBytes(of: format.name) { bytes throws(ImageError) in
                try unsafe PixbufLoader(format, .sizeOnly).size(of: bytes)
            }
        }
        return probe
    }

    /// Decodes the whole picture, then takes it in rows.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let format = try PixbufFormat.required(of: data)
        let header = PixbufHeader(data, of: format)
        if let size = header.size { try options.limits.check(size, of: format.name) }
        return try unsafe data.withImageBytes(of: format.name) { bytes throws(ImageError) in
            let loader = try PixbufLoader(format, .within(options.limits))
            return try unsafe loader.load(bytes, monitor).decode(options, monitor)
        }
    }
}

extension ImageCoder where Self == GdkPixbufCoder {
    /// The coder of the formats that gdk-pixbuf reads and this library does not.
    public static var gdkPixbuf: GdkPixbufCoder { GdkPixbufCoder() }
}
