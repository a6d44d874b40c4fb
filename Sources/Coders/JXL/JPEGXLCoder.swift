public import WebImageCore
public import WebImageFoundation

/// Reads JPEG XL, still and animated, with libjxl.
///
/// Orientation is applied, layers are laid over each other, spot colours are drawn. Samples of more than 8 bits, and
/// floating-point ones, are rounded to 8; those of high dynamic range stay as they are. Lossy pictures with an ICC
/// profile come out as sRGB. JPEG XL is not written.
public struct JPEGXLCoder: AnimatedImageCoder, ProgressiveImageCoder, MetadataImageCoder {
    /// A coder keeps no state, so that one is as good as another.
    public init() {}

    /// Whether the bytes begin with the signature of a codestream or a container.
    public func canDecode(_ data: Data) -> Bool {
        FormatSniffer.format(of: data) == .jpegXL
    }

    /// Reads the header, and of an animation those of all frames; of a cut one, those that are there.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        do {
            let codestream = try JXLContainer.codestream(of: data)
            return try unsafe codestream.withImageBytes(of: .jpegXL) { bytes throws(ImageError) in
                let limits = DecodeLimits(maxPixelCount: 1 << 40, maxDimension: 1 << 30)
                var walker = try JXLWalker(limits: limits)
                try unsafe walker.read(bytes, to: .header, DecodeMonitor(limits: limits))
                guard let probe = walker.probe else { throw .truncatedJXL(bytes.count) }
                return probe
            }
        } catch {
            throw ImageError(.badImageData, .decode, error.message)
        }
    }

    /// Takes time in proportion to the frames that `options.frameIndex` is built on.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes; but an
    ///   animation that is cut in its last frame gives the frames before it.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let codestream = try JXLContainer.codestream(of: data)
        return try unsafe codestream.withImageBytes(of: .jpegXL) { bytes throws(ImageError) in
            var pictures = try JXLPictures(try unsafe JXLWalker.findings(in: bytes, options, monitor))
            return try unsafe pictures.picture(
                ofFrame: options.frameIndex, of: bytes, options: options, monitor: monitor)
        }
    }

    /// Holds a copy of the bytes. Frames in order cost least; one decode runs at a time.
    ///
    /// - Throws: `limitExceeded` before any large allocation, `badImageData` for damaged or truncated bytes.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        try JXLFrames(data, options: options)
    }

    /// A decoder that shows a lossy picture in an eighth of its detail as soon as that is there, and after each pass of
    /// one that was encoded so. What was encoded without loss shows in the end only.
    public func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        JXLIncrementalDecoder(options: options)
    }

    /// EXIF, XMP and colour profile; packed boxes are unpacked.
    ///
    /// - Throws: `badImageData` for a header that cannot be read.
    public func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata {
        let profile = try profile(of: data)
        return try unsafe data.withImageBytes(of: .jpegXL) { bytes throws(ImageError) in
            let boxes = try unsafe JXLBoxes(bytes, limits: limits)
            return ImageMetadata(colorProfile: profile, exif: boxes.exif, xmp: boxes.xmp, limits: limits)
        }
    }

    private func profile(of data: Data) throws(ImageError) -> Data? {
        let codestream = try JXLContainer.codestream(of: data)
        return try unsafe codestream.withImageBytes(of: .jpegXL) { bytes throws(ImageError) in
            let limits = DecodeLimits(maxPixelCount: 1 << 40, maxDimension: 1 << 30)
            var walker = try JXLWalker(limits: limits)
            try unsafe walker.read(bytes, to: .header, DecodeMonitor(limits: limits))
            guard let header = walker.header else { throw .truncatedJXL(bytes.count) }
            return header.profile
        }
    }
}

extension ImageCoder where Self == JPEGXLCoder {
    /// The coder of JPEG XL.
    public static var jpegXL: JPEGXLCoder { JPEGXLCoder() }
}
