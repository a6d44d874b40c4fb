import CWebImageWebP
import WebImageCore
import WebImagePixels

/// How a still picture is decoded: in one go or as its bytes come, with the same result.
///
/// libwebp is asked for straight alpha: it rounds down where it multiplies.
@safe struct WebPStill {
    /// The size that libwebp gives.
    let size: PixelSize
    /// What of the stored picture that shows.
    let part: PixelRect
    private let storedSize: PixelSize
    private let isScaled: Bool
    /// Whether samples of alpha may be there that do not count.
    private let hasIdleAlpha: Bool

    init(_ features: WebPFeatures, _ decoding: RowDecoding) {
        if decoding.isWhole {
            part = PixelRect(decoding.storedSize)
            size = Self.isScaledWell(features) ? Self.scaledSize(decoding) : decoding.storedSize
        } else {
            part = Self.surroundings(of: decoding.storedRegion, in: decoding.storedSize)
            size = part.size
        }
        storedSize = decoding.storedSize
        isScaled = size != part.size
        hasIdleAlpha = !features.hasAlpha && features.compression == .lossless
    }

    /// Whether libwebp makes a picture smaller as fast and as well as a resampler does. Of a lossy one with alpha it
    /// would mix straight colour, so that what is transparent bleeds into what is not. A lossless one takes it longer
    /// than the filter that comes behind it; since it holds all of that in any case, twice as much is too much only of
    /// a large one.
    private static func isScaledWell(_ features: WebPFeatures) -> Bool {
        switch features.compression {
        case .lossless: features.size.pixelCount ?? .max > 1 << 23
        case .lossy, .unknown: !features.hasAlpha
        }
    }

    /// What libwebp makes of a picture that is to be smaller. It takes means of its own: twice what is needed leaves
    /// its work to the filter that was asked for.
    private static func scaledSize(_ decoding: RowDecoding) -> PixelSize {
        let (stored, target) = (decoding.storedSize, decoding.targetSize)
        guard target != stored, decoding.resampling.mayFollowReducing else { return stored }
        return PixelSize(min(stored.width, 2 * target.width), min(stored.height, 2 * target.height))
    }

    /// The region with what its edge pixels depend on: colour of lossy pictures has half their size, and is mixed with
    /// its neighbours. libwebp cuts at even places only.
    private static func surroundings(of region: PixelRect, in size: PixelSize) -> PixelRect {
        let (left, top) = (max(0, region.x - 2) & ~1, max(0, region.y - 2) & ~1)
        let right = min(size.width, region.x + region.width + 2)
        let bottom = min(size.height, region.y + region.height + 2)
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// What libwebp is told; its rows go to the target, which must outlive it.
    func configuration(
        _ target: UnsafeMutableRawBufferPointer
    ) throws(ImageError) -> WebPDecoderConfig {
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0 else { throw WebPFault.versionMismatch() }
        unsafe config.output.colorspace = MODE_RGBA
        unsafe config.output.is_external_memory = 1
        unsafe config.output.u.RGBA.rgba = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe config.output.u.RGBA.stride = Int32(size.width * 4)
        unsafe config.output.u.RGBA.size = target.count
        if part.size != storedSize {
            unsafe config.options.use_cropping = 1
            unsafe config.options.crop_left = Int32(part.x)
            unsafe config.options.crop_top = Int32(part.y)
            unsafe config.options.crop_width = Int32(part.width)
            unsafe config.options.crop_height = Int32(part.height)
        }
        if isScaled {
            unsafe config.options.use_scaling = 1
            unsafe config.options.scaled_width = Int32(size.width)
            unsafe config.options.scaled_height = Int32(size.height)
        }
        return unsafe config
    }

    func picture(
        _ bytes: UnsafeRawBufferPointer, _ decoding: RowDecoding, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try monitor.check()
        var pixels = try decoding.unwrittenPicture(size)
        let status = try unsafe pixels.withUnsafeMutableBytes { target throws(ImageError) in
            var config = try unsafe configuration(target)
            guard bytes.count > Self.partByteCount else {
                return unsafe WebPDecode(bytes.webPStart, bytes.count, &config)
            }
            return try unsafe decodeInParts(bytes, &config, monitor)
        }
        guard status == VP8_STATUS_OK else { throw WebPFault.reading(status, "in its pixels") }
        if hasIdleAlpha { unsafe pixels.withUnsafeMutableBytes { unsafe fillAlpha($0) } }
        return try decoding.decode(pixels, showing: part)
    }

    /// Some milliseconds' work for libwebp, which cannot be stopped while at it and does a little of it anew with each
    /// part.
    private static let partByteCount = 1 << 19

    /// Asks between parts whether to go on.
    private func decodeInParts(
        _ bytes: UnsafeRawBufferPointer, _ config: UnsafeMutablePointer<WebPDecoderConfig>, _ monitor: DecodeMonitor
    ) throws(ImageError) -> VP8StatusCode {
        guard let decoder = unsafe WebPIDecode(nil, 0, config) else { return VP8_STATUS_OUT_OF_MEMORY }
        defer { unsafe WebPIDelete(decoder) }
        var count = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED, count < bytes.count {
            try monitor.check()
            // The start is read anew with each part until it is whole, so that there must not be many.
            count = min(bytes.count, count + max(Self.partByteCount, bytes.count / 16))
            status = unsafe WebPIUpdate(decoder, bytes.webPStart, count)
        }
        return status
    }

    /// Makes rows opaque that are said to be: a lossless picture without alpha may have samples of it all the same.
    func settleAlpha(_ rows: UnsafeMutableRawBufferPointer) {
        if hasIdleAlpha { unsafe fillAlpha(rows) }
    }
}

/// Makes whole pixels opaque.
func fillAlpha(_ pixels: UnsafeMutableRawBufferPointer) {
    for offset in stride(from: 3, to: pixels.count, by: 4) { unsafe pixels[offset] = 255 }
}
