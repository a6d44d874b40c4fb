import CWebImageJXL
import WebImageCore
import WebImagePixels

/// Walks over the headers of a JPEG XL file, layer by layer, and decompresses none.
///
/// It sees what the decoder of pixels is about to allocate: libjxl 0.7 takes a layer far larger than its canvas. Frames
/// that are never shown and only referred to are not told of by libjxl, and so not seen here.
struct JXLWalker: ~Copyable {
    /// How far to walk.
    enum Extent {
        /// Up to the first frame of a still picture; animations to the end, since nothing tells their frames before.
        case header
        case everything
    }

    private var stream: JXLStream
    private let limits: DecodeLimits
    private let conversion: DecodeOptions.ColorConversion
    private(set) var header: JXLHeader?
    /// Whether the colour of the header is known.
    private(set) var hasColor = false
    /// How long each frame shows, in ticks.
    private(set) var delays: [Double] = []
    /// How many layers there are, and how many pixels those have that make the frame which is not shown yet.
    private var layerCount = 0
    private var layerPixelCount = 0
    /// Whether the file has ended where it says that it does.
    private(set) var isComplete = false

    init(
        limits: DecodeLimits, conversion: DecodeOptions.ColorConversion = .sRGB
    ) throws(ImageError) {
        stream = try JXLStream([JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME])
        unsafe _ = JxlDecoderSetCoalescing(stream.decoder, 0)
        self.limits = limits
        self.conversion = conversion
    }

    /// Reads on; too few bytes are no error.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, isWhole: Bool, to extent: Extent = .everything
    ) throws(ImageError) {
        while !isComplete {
            switch unsafe stream.next(bytes, isWhole: isWhole) {
            case JXL_DEC_BASIC_INFO:
                header = try unsafe JXLHeader(stream.decoder, conversion)
                try header?.check(limits)
            case JXL_DEC_COLOR_ENCODING:
                unsafe header?.readColor(stream.decoder)
                hasColor = true
                if extent == .header, header?.isAnimated == false { return }
            case JXL_DEC_FRAME: try takeFrame()
            case JXL_DEC_SUCCESS: isComplete = true
            case JXL_DEC_NEED_MORE_INPUT: return
            default:
                let place = header == nil ? "in its header" : "in or after frame \(max(0, delays.count - 1))"
                throw ImageError(.badImageData, .decode, "the jxl is damaged \(place)")
            }
        }
    }

    private mutating func takeFrame() throws(ImageError) {
        var frame = JxlFrameHeader()
        guard unsafe JxlDecoderGetFrameHeader(stream.decoder, &frame) == JXL_DEC_SUCCESS else {
            throw ImageError(.badImageData, .decode, "the jxl is damaged in frame \(delays.count)")
        }
        let size = PixelSize(Int(frame.layer_info.xsize), Int(frame.layer_info.ysize))
        try limits.check(size, of: .jpegXL)
        layerCount += 1
        layerPixelCount += size.pixelCount ?? 0
        try checkLayers()
        // A layer that takes no time belongs to the frame after it.
        guard frame.duration > 0 || frame.is_last != 0 else { return }
        layerPixelCount = 0
        delays.append(Double(frame.duration))
        try limits.check(frameCount: delays.count, of: .jpegXL)
    }

    /// The decoder makes all layers of a frame in one go, in which nobody can stop it.
    private func checkLayers() throws(ImageError) {
        guard layerCount <= limits.maxFrameCount, layerPixelCount / 16 <= limits.maxPixelCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "jxl of more layers than the limits allow (\(layerCount), of \(layerPixelCount) pixels for one frame); "
                    + "raise DecodeLimits.maxFrameCount or maxPixelCount")
        }
    }

    /// What has been seen so far; `nil` before the colour is known.
    var probe: ImageProbe? {
        guard let header, hasColor else { return nil }
        let isAnimation = header.isAnimated && delays.count > 1
        return ImageProbe(
            format: .jpegXL, size: header.size, hasAlpha: header.hasAlpha, frameCount: max(1, delays.count),
            loopCount: isAnimation ? header.loopCount : nil,
            durations: isAnimation
                ? delays.map { FrameDuration.milliseconds(ticks: $0, perSecond: header.ticksPerSecond) } : [],
            profileName: header.profile.flatMap { ICCProfileName.name(of: $0) })
    }
}

extension JXLWalker {
    /// The structure of a file whose bytes are all there.
    ///
    /// - Throws: `badImageData` also for one that ends too early.
    static func walked(
        _ bytes: UnsafeRawBufferPointer, _ options: DecodeOptions
    ) throws(ImageError) -> (header: JXLHeader, probe: ImageProbe, delays: [Double]) {
        var walker = try JXLWalker(limits: options.limits, conversion: options.colorConversion)
        try unsafe walker.read(bytes, isWhole: true)
        guard walker.isComplete, let header = walker.header, let probe = walker.probe else {
            throw .truncatedJXL(bytes.count)
        }
        return (header, probe, walker.delays)
    }
}

extension ImageError {
    static func truncatedJXL(_ count: Int) -> ImageError {
        ImageError(
            .badImageData, .decode, "the jxl is truncated: it ends after \(count) bytes, before its last frame does")
    }
}
