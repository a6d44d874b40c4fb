import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A whole file: what its header and its chunks say.
struct WebPFile: Sendable {
    let features: WebPFeatures
    let chunks: WebPChunks
    private let metadata: ImageMetadata
    private let probe: ImageProbe

    /// - Throws: `badImageData` for a header that cannot be read, and for a file that ends before it says.
    init(_ data: Data, _ bytes: UnsafeRawBufferPointer, options: DecodeOptions) throws(ImageError) {
        features = try unsafe WebPFeatures(bytes)
        chunks = WebPChunks(data, maxFrameCount: options.limits.maxFrameCount)
        metadata = chunks.metadata(options.limits)
        probe = features.probe(chunks, metadata)
        // Too large a picture is told before a cut one: no more bytes would help.
        try options.limits.check(features.size, of: .webP)
        try options.limits.check(frameCount: chunks.frames.count, of: .webP)
        guard !chunks.isTruncated else { throw WebPFault.truncated(data.count) }
    }

    /// Whether some pixel of some frame may be transparent.
    var hasAlpha: Bool { probe.hasAlpha }
    /// What the samples mean.
    var color: SourceColor { metadata.sourceColor }
    /// How the stored pixels are turned to stand upright.
    var orientation: Orientation { probe.orientation }

    /// Where the pictures go.
    func decoding(_ options: DecodeOptions, _ monitor: DecodeMonitor) throws(ImageError) -> RowDecoding {
        var probe = probe
        probe.loopCount = playCount
        return try RowDecoding(probe, color: color, options: options, monitor: monitor)
    }

    /// How often the animation is played; 0 is for ever. A still picture is played once.
    var playCount: Int { features.isAnimated ? chunks.loopCount ?? 0 : 1 }
}
