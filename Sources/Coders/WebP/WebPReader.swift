import CWebImageWebP
import WebImageCore
import WebImagePixels

/// The bytes of one WebP file, which must outlive it, and what their header says.
@safe struct WebPReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private let features: WebPBitstreamFeatures

    init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var features = WebPBitstreamFeatures()
        let status = unsafe WebPGetFeatures(Self.start(bytes), bytes.count, &features)
        guard status == VP8_STATUS_OK else { throw Self.failure(status, "in its header") }
        unsafe self.bytes = unsafe bytes
        self.features = features
    }

    func probe(_ chunks: WebPChunks) -> ImageProbe {
        let stored = PixelSize(Int(features.width), Int(features.height))
        let isAnimated = features.has_animation != 0
        let hasHoles = isAnimated && chunks.placements.leaveHoles(in: stored)
        return ImageProbe(
            format: .webP, size: chunks.orientation.upright(stored), orientation: chunks.orientation,
            hasAlpha: features.has_alpha != 0 || hasHoles, frameCount: max(1, isAnimated ? chunks.durations.count : 1),
            loopCount: isAnimated ? chunks.loopCount : nil, durations: isAnimated ? chunks.durations : [],
            profileName: chunks.profileName)
    }

    func decode(_ decoding: RowDecoding, frameIndex: Int) throws(ImageError) -> DecodedImage {
        if features.has_animation != 0 { return try decodeFrame(frameIndex, decoding) }
        // Of a lossy picture libwebp would mix straight colour, so that what is transparent bleeds into what is not.
        let isScaledWell = features.has_alpha == 0 || features.format == Self.losslessFormat
        return try decoding.decode(
            decodeStill(decoding, size: isScaledWell ? decoding.targetSize : decoding.storedSize))
    }

    private static let losslessFormat: Int32 = 2

    // libwebp is asked for straight alpha: it rounds down where it multiplies.

    // MARK: Still

    private func decodeStill(_ decoding: RowDecoding, size: PixelSize) throws(ImageError) -> PixelBuffer {
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0 else { throw Self.versionMismatch() }
        unsafe config.output.colorspace = MODE_RGBA
        unsafe config.output.is_external_memory = 1
        if size != decoding.storedSize {
            unsafe config.options.use_scaling = 1
            unsafe config.options.scaled_width = Int32(size.width)
            unsafe config.options.scaled_height = Int32(size.height)
        }
        var pixels = try decoding.emptyPicture(size)
        let stride = pixels.bytesPerRow
        let status = unsafe pixels.withUnsafeMutableBytes { target in
            unsafe config.output.u.RGBA.rgba = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe config.output.u.RGBA.stride = Int32(stride)
            unsafe config.output.u.RGBA.size = target.count
            return unsafe WebPDecode(Self.start(bytes), bytes.count, &config)
        }
        guard status == VP8_STATUS_OK else { throw Self.failure(status, "in its pixels") }
        return pixels
    }

    // MARK: Animation

    private func decodeFrame(_ index: Int, _ decoding: RowDecoding) throws(ImageError) -> DecodedImage {
        var options = WebPAnimDecoderOptions()
        guard unsafe WebPAnimDecoderOptionsInit(&options) != 0 else { throw Self.versionMismatch() }
        options.color_mode = MODE_RGBA
        var data = unsafe WebPData(bytes: Self.start(bytes), size: bytes.count)
        guard let decoder = unsafe WebPAnimDecoderNew(&data, &options) else {
            throw ImageError(.badImageData, .decode, "the webp is damaged: its frames cannot be told apart")
        }
        defer { unsafe WebPAnimDecoderDelete(decoder) }
        var canvas: UnsafeMutablePointer<UInt8>?
        var timestamp: Int32 = 0
        for frame in 0...index {
            guard unsafe WebPAnimDecoderGetNext(decoder, &canvas, &timestamp) != 0 else {
                throw ImageError(.badImageData, .decode, "the webp is damaged in frame \(frame)")
            }
        }
        let rowBytes = decoding.storedSize.width * 4
        return try decoding.decode { sink throws(ImageError) in
            for y in 0..<decoding.storedSize.height {
                try unsafe sink.withNextRow { row in
                    guard let canvas = unsafe canvas else { return }
                    unsafe row.copyMemory(from: UnsafeRawBufferPointer(start: canvas + y * rowBytes, count: rowBytes))
                }
            }
        }
    }

    // MARK: Errors

    private static func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    private static func failure(_ status: VP8StatusCode, _ place: String) -> ImageError {
        let message =
            switch status {
            case VP8_STATUS_OUT_OF_MEMORY: "there is no memory to decode it"
            case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: "it is truncated"
            case VP8_STATUS_UNSUPPORTED_FEATURE: "it uses a feature that libwebp does not read"
            default: "its bitstream is wrong"
            }
        return ImageError(.badImageData, .decode, "the webp cannot be read \(place): \(message)")
    }

    private static func versionMismatch() -> ImageError {
        ImageError(.badImageData, .decode, "the installed libwebp is of another version than this was built for")
    }
}
