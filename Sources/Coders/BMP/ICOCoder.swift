public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// Reads Windows icons and cursors (ICO, CUR): the largest picture of a file, and of several of one size the one with
/// most bits a pixel.
///
/// Pictures inside are bitmaps, or PNG files in newer icons: those are handed to the coder that this one was made with.
public struct ICOCoder: ImageCoder {
    private let embeddedPNG: (any ImageCoder)?

    /// - Parameter png: Reads the PNG files inside; without it, an icon whose largest picture is one is an error.
    public init(png: (any ImageCoder)? = nil) {
        embeddedPNG = png
    }

    /// Whether the bytes begin with the signature of an icon or a cursor.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .ico
    }

    /// Reads the list of pictures and the header of each.
    ///
    /// - Throws: `badImageData` for a file without a picture whose header can be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        switch try ICODirectory(data).best {
        case .bitmap(let bitmap): return bitmap.probe(hasAlpha: true)
        case .png(_, let size): return ImageProbe(format: .ico, size: size, hasAlpha: true)
        }
    }

    /// Decodes row by row.
    ///
    /// - Throws: `limitExceeded` before any large allocation; `badImageData` for damaged or truncated bytes, and for a
    ///   PNG inside when there is no coder for it.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        switch try ICODirectory(data).best {
        case .bitmap(let bitmap): return try bitmap.decode(options, monitor)
        case .png(let place, _):
            return try decode(png: Data(data.dropFirst(place.lowerBound).prefix(place.count)), options, monitor)
        }
    }

    private func decode(
        png file: Data, _ options: DecodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        guard let embeddedPNG else {
            throw .unreadBitmap(.ico, "a PNG, and no coder for it was given to ICOCoder(png:)")
        }
        let image = try embeddedPNG.decode(file, options: options, monitor: monitor)
        var attributes = image.attributes
        attributes.format = .ico
        (attributes.frameCount, attributes.loopCount) = (1, 1)
        return DecodedImage(pixels: image.pixels, attributes: attributes)
    }
}

extension ImageCoder where Self == ICOCoder {
    /// The coder of icons and cursors, without those that hold PNG files.
    public static var ico: ICOCoder { ICOCoder() }

    /// The coder of icons and cursors; `png` reads the PNG files inside.
    public static func ico(png: any ImageCoder) -> ICOCoder { ICOCoder(png: png) }
}
