import CWebImageJXL
import WebImageCore
import WebImagePixels

/// Walks over the headers of a JPEG XL codestream, layer by layer, and decompresses none.
///
/// It sees what the decoder of pixels is about to allocate, before that does. What the file says of its colours is left
/// to libjxl, which gets no frame for that.
struct JXLWalker: ~Copyable {
    /// How far to walk.
    enum Extent {
        /// Up to the first frame of a still picture; animations to the end, since nothing tells their frames before.
        case header
        case everything
    }

    /// What is known of a file whose headers are all there.
    struct Findings {
        let image: JXLImageHeader
        let header: JXLHeader
        let probe: ImageProbe
        /// How long each frame shows, in ticks.
        let delays: [Double]
        /// Where each frame ends in the codestream, of hidden ones too.
        let frameEnds: [Int]
    }

    private var stream: JXLStream
    private let limits: DecodeLimits
    private let conversion: DecodeOptions.ColorConversion
    private var headers: JXLFrameHeaders
    private(set) var header: JXLHeader?
    /// Whether the colour of the header is known.
    private(set) var hasColor = false

    init(
        limits: DecodeLimits, conversion: DecodeOptions.ColorConversion = .sRGB
    ) throws(ImageError) {
        stream = try JXLStream([JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING])
        self.limits = limits
        self.conversion = conversion
        headers = JXLFrameHeaders(limits: limits)
    }

    /// Whether the last frame has been seen.
    var isComplete: Bool { headers.isComplete }

    /// What stands before the first frame, when that has been read.
    var image: JXLImageHeader? { headers.image }

    /// Where those frames end whose headers are permitted.
    var frameEnds: [Int] { headers.frameEnds }

    /// Reads on; too few bytes are no error.
    ///
    /// - Parameter codestream: From its start, as far as it is there.
    mutating func read(
        _ codestream: UnsafeRawBufferPointer, to extent: Extent = .everything, _ monitor: DecodeMonitor
    ) throws(ImageError) {
        try unsafe headers.readImage(codestream)
        guard let image = headers.image else { return }
        if !hasColor { try unsafe readHeader(codestream, image) }
        guard hasColor, extent == .everything || image.animation != nil else { return }
        try unsafe headers.readFrames(codestream, monitor)
    }

    private mutating func readHeader(
        _ codestream: UnsafeRawBufferPointer, _ image: JXLImageHeader
    ) throws(ImageError) {
        while !hasColor {
            switch unsafe stream.next(codestream, isWhole: false) {
            case JXL_DEC_BASIC_INFO:
                let read = try unsafe JXLHeader(stream.decoder, conversion)
                try read.check(limits)
                guard read.agrees(with: image) else { throw Self.damagedHeader }
                header = read
            case JXL_DEC_COLOR_ENCODING:
                unsafe header?.readColor(stream.decoder)
                hasColor = true
            case JXL_DEC_NEED_MORE_INPUT: return
            default: throw Self.damagedHeader
            }
        }
    }

    private static var damagedHeader: ImageError {
        ImageError(.badImageData, .decode, "the jxl is damaged in its header")
    }

    /// What has been seen so far; `nil` before the colour is known.
    var probe: ImageProbe? {
        guard let header, hasColor else { return nil }
        let delays = headers.delays
        let isAnimation = header.isAnimated && delays.count > 1
        return ImageProbe(
            format: .jpegXL, size: header.size, hasAlpha: header.hasAlpha, frameCount: max(1, delays.count),
            loopCount: isAnimation ? header.loopCount : nil,
            durations: isAnimation
                ? delays.map { FrameDuration.milliseconds(ticks: $0, perSecond: header.ticksPerSecond) } : [],
            profileName: header.profile.flatMap { ICCProfileName.name(of: $0) })
    }

    /// The structure of a codestream that is all there.
    ///
    /// - Throws: `badImageData` also for one that ends too early.
    static func findings(
        in codestream: UnsafeRawBufferPointer, _ options: DecodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Findings {
        var walker = try JXLWalker(limits: options.limits, conversion: options.colorConversion)
        try unsafe walker.read(codestream, monitor)
        guard walker.isComplete, let image = walker.image, let header = walker.header, let probe = walker.probe else {
            throw .truncatedJXL(codestream.count)
        }
        return Findings(
            image: image, header: header, probe: probe, delays: walker.headers.delays, frameEnds: walker.frameEnds)
    }
}

extension JXLHeader {
    /// Whether libjxl has read the same as we have.
    fileprivate func agrees(with image: JXLImageHeader) -> Bool {
        [size.width, size.height].sorted() == [image.size.width, image.size.height].sorted()
            && extraChannelCount == image.extraChannels.count && isAnimated == (image.animation != nil)
    }
}

extension ImageError {
    static func truncatedJXL(_ count: Int) -> ImageError {
        ImageError(
            .badImageData, .decode,
            "the jxl is truncated: its codestream ends after \(count) bytes, before its last frame does")
    }
}
