import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A whole file: its bytes, its blocks, and what its colours are turned with.
struct GIFFile: Sendable {
    let data: Data
    let structure: GIFStructure
    private let transform: ColorTransform?

    /// - Throws: `badImageData` for a file without a frame, or one that ends inside a block.
    init(_ data: Data, options: DecodeOptions) throws(ImageError) {
        try self.init(data, GIFStructure(data, maxFrameCount: options.limits.maxFrameCount), options: options)
    }

    /// Of a file whose blocks have been read.
    init(_ data: Data, _ structure: GIFStructure, options: DecodeOptions) throws(ImageError) {
        try structure.checkFrames()
        try options.limits.check(frameCount: structure.frames.count, of: .gif)
        guard !structure.isTruncated else {
            throw ImageError(
                .badImageData, .decode,
                "the gif is truncated: it ends after \(data.count) bytes in frame \(structure.frames.count - 1) or "
                    + "what belongs to it")
        }
        self.data = data
        self.structure = structure
        transform = structure.transform(in: data, options: options)
    }

    /// Where the pictures go.
    func decoding(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> RowDecoding {
        var probe = structure.probe(data)
        probe.loopCount = structure.playCount
        return try RowDecoding(probe, options: options, monitor: monitor)
    }

    /// The frame that the options ask for, by itself.
    func picture(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        let decoding = try decoding(options, monitor)
        var compositor = try GIFCompositor(decoding.emptyPicture(structure.canvas))
        return try decoding.decode(finished: picture(of: options.frameIndex, &compositor, options.limits, monitor))
    }

    /// A frame as it shows.
    func picture(
        of index: Int, _ compositor: inout GIFCompositor, _ limits: DecodeLimits, _ monitor: DecodeMonitor
    ) throws(ImageError) -> PixelBuffer {
        try unsafe data.withImageBytes(of: .gif) { bytes throws(ImageError) in
            let reader = unsafe GIFReader(bytes, structure, transform, limits: limits, monitor: monitor)
            return try compositor.picture(of: index, structure, reader)
        }
    }
}
