public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Draws SVG with librsvg.
///
/// Shapes have no pixels of their own, so that a thumbnail size is met from both sides: the picture is drawn as large
/// as fits in it, **larger** than its own size too. Without one it is drawn at its own size at 96 dots per inch: its
/// `width` and `height`, where they are missing those of its `viewBox`, else 300×150, as browsers have it; parts of a
/// pixel count as a whole one. `DecodedImage.Attributes.isVector` is set.
///
/// Nothing outside of the file is read: no other file, no URL but `data:`. Text is drawn in the system's fonts. Files
/// packed with gzip are refused. librsvg cannot be stopped while it draws: time and cancellation are looked at before
/// and after.
public struct SVGCoder: ImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with an `svg` element, or with a prolog and one soon after it.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .svg
    }

    /// SVG: its root element may come after more than is sniffed.
    public func canDecode(hint: ImageFormat) -> Bool { hint == .svg }

    /// Reads the whole file, and draws nothing; of one that is cut or damaged, the start tag of its root element.
    /// `hasAlpha` is always true, since only drawing tells.
    ///
    /// - Throws: `badImageData` for a start tag that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        do throws(ImageError) {
            return try probe(wellFormed: data)
        } catch {
            guard case .ends(let count) = XMLRootTag(in: data) else { throw error }
            // The same element with nothing in it.
            return try probe(wellFormed: data.prefix(count) + Data("/>".utf8))
        }
    }

    private func probe(wellFormed data: Data) throws(ImageError) -> ImageProbe {
        try unsafe data.withImageBytes(of: .svg) { bytes throws(ImageError) in
            try unsafe SVGDocument(bytes).probe()
        }
    }

    /// Draws the picture into its pixels. The size limits count for the size that is drawn, not for the picture's own.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try monitor.check()
        return try unsafe data.withImageBytes(of: .svg) { bytes throws(ImageError) in
            try unsafe SVGDocument(bytes).draw(options, monitor)
        }
    }
}

extension ImageCoder where Self == SVGCoder {
    /// The coder of SVG.
    public static var svg: SVGCoder { SVGCoder() }
}
