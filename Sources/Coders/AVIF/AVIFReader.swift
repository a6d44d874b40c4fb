import CWebImageAVIF
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One AVIF file in libavif: its header, and its frames one after the other. The bytes must outlive it.
@safe struct AVIFReader: ~Copyable {
    private let decoder: UnsafeMutablePointer<avifDecoder>
    private let track: AVIFTrack
    private let cellAlpha: AVIFCellAlpha?
    /// The frame whose samples the decoder holds.
    private var currentFrame: Int?

    /// What a reader is opened for.
    enum Purpose {
        case pixels
        case metadata
    }

    /// Reads the header.
    static func open(
        _ bytes: UnsafeRawBufferPointer, _ data: Data, limits: DecodeLimits, for purpose: Purpose = .pixels
    ) throws(ImageError) -> AVIFReader {
        let reader = try AVIFReader(data, limits, purpose)
        try unsafe reader.parse(bytes, limits)
        return reader
    }

    private init(_ data: Data, _ limits: DecodeLimits, _ purpose: Purpose) throws(ImageError) {
        guard let decoder = unsafe avifDecoderCreate() else {
            throw ImageError(.badImageData, .decode, "there is no memory to decode the avif")
        }
        unsafe self.decoder = decoder
        track = AVIFTrack(data)
        cellAlpha = AVIFCellAlpha(data)
        // Files of older writers lack properties that today's rules ask for.
        unsafe decoder.pointee.strictFlags = AVIF_STRICT_DISABLED.rawValue
        unsafe decoder.pointee.ignoreExif = purpose == .pixels ? 1 : 0
        unsafe decoder.pointee.ignoreXMP = purpose == .pixels ? 1 : 0
        let largest = UInt32(16_384 * 16_384)
        unsafe decoder.pointee.imageSizeLimit = min(largest, UInt32(clamping: max(1, limits.maxPixelCount)))
        unsafe decoder.pointee.imageDimensionLimit = UInt32(clamping: max(1, limits.maxDimension))
        unsafe decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.maxFrameCount))
    }

    deinit {
        unsafe avifDecoderDestroy(decoder)
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(ImageError) {
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var result = unsafe avifDecoderSetIOMemory(decoder, start, bytes.count)
        if result == AVIF_RESULT_OK { result = unsafe avifDecoderParse(decoder) }
        guard result != AVIF_RESULT_OK else { return }
        let failure = failure(result, "in its header")
        try checkClaims(limits)
        throw failure
    }

    /// libavif does not say that it was a limit that it refused a file for.
    private func checkClaims(_ limits: DecodeLimits) throws(ImageError) {
        if let claim = track.largestClaim, claim.width > 0, claim.height > 0 {
            try limits.check(PixelSize(claim.width, claim.height), of: .avif)
        }
        let frames = track.runs.reduce(0) { $0 + $1.count }
        try limits.check(frameCount: frames, of: .avif)
    }

    // MARK: Header

    var probe: ImageProbe {
        unsafe image.map { image in
            let orientation = unsafe AVIFTransform.orientation(image.pointee)
            let isSequence = frameCount > 1
            return unsafe ImageProbe(
                format: .avif, size: orientation.upright(crop.size), orientation: orientation,
                hasAlpha: decoder.pointee.alphaPresent != 0 || cellAlpha != nil, frameCount: frameCount,
                loopCount: isSequence ? track.loopCount : nil,
                durations: isSequence ? delays.map { FrameDuration.milliseconds(ticks: $0, perSecond: timescale) } : [],
                profileName: profile.flatMap { ICCProfileName.name(of: $0) })
        } ?? ImageProbe(format: .avif, size: PixelSize(0, 0))
    }

    var frameCount: Int { unsafe max(1, Int(decoder.pointee.imageCount)) }

    /// How long each frame is shown.
    var playedDurations: [Duration] {
        delays.map { FrameDuration.played(ticks: $0, perSecond: timescale) }
    }

    /// What the file says beside its pixels; only of a reader that was opened for it.
    func metadata(limits: DecodeLimits) -> ImageMetadata {
        guard let image = unsafe image else { return ImageMetadata() }
        // libavif has taken the offset away; a zero one in its place makes the block as it was.
        let exif = unsafe Self.data(image.pointee.exif).flatMap { ImageMetadata.tiff(inItem: Data(count: 4) + $0) }
        return unsafe ImageMetadata(
            colorProfile: profile, exif: exif, xmp: Self.data(image.pointee.xmp), limits: limits)
    }

    /// What the samples mean. Complete only when a frame has been decoded: a file may leave it to the AV1 stream.
    var color: SourceColor {
        guard let image = unsafe image else { return SourceColor() }
        if let profile {
            let isGray = ByteReader(profile, .bigEndian).has("GRAY", at: 16)
            let isGrayPicture = unsafe image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
            return SourceColor(isGray && isGrayPicture ? .gray : .rgb, .profile(profile))
        }
        return unsafe SourceColor(
            .rgb,
            .codePoints(
                primaries: Int(image.pointee.colorPrimaries), transfer: Int(image.pointee.transferCharacteristics)))
    }

    private var image: UnsafeMutablePointer<avifImage>? { unsafe decoder.pointee.image }
    private var profile: Data? { unsafe image.flatMap { unsafe Self.data($0.pointee.icc) } }
    private var timescale: Double { Double(track.timescale) }
    private var delays: [Double] { track.delays(frameCount: frameCount).map(Double.init) }
    private var crop: AVIFTransform.Crop {
        guard let image = unsafe image else { return AVIFTransform.Crop(x: 0, y: 0, size: PixelSize(0, 0)) }
        return unsafe AVIFTransform.crop(image)
    }

    // MARK: Frames

    /// A frame, upright. Costs the frames from the last key frame on, or from the frame read last if that is nearer.
    mutating func picture(
        ofFrame index: Int, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        var options = options
        options.frameIndex = index
        var header = probe
        // Players of this format repeat what does not say how often.
        header.loopCount = header.loopCount ?? (header.frameCount > 1 ? 0 : 1)
        let crop = crop
        // Throws what the header alone is enough for, before the colour is known.
        let plan = try RowDecoding(header, options: options, monitor: monitor)
        // A picture in full is waited for; thumbnails come by the dozen, and two threads take more of the processor.
        unsafe decoder.pointee.maxThreads = plan.targetSize == plan.storedRegion.size ? 2 : 1
        guard let cellAlpha else { return try picture(ofFrame: index, header, options: options, monitor: monitor) }
        var whole = try samples(ofFrame: index, monitor)
        try cellAlpha.add(to: &whole, options: options, monitor: monitor)
        let colored = try RowDecoding(header, color: color, options: options, monitor: monitor)
        guard crop.size != crop.whole else { return try colored.decode(whole) }
        return try colored.decode { sink throws(ImageError) in
            for y in 0..<crop.size.height {
                try unsafe whole.withUnsafeRow(crop.y + y) { row throws(ImageError) in
                    let part = unsafe row.dropFirst(crop.x * 4).prefix(crop.size.width * 4)
                    let source = unsafe UnsafeRawBufferPointer(rebasing: part)
                    try unsafe sink.withNextRow { target in unsafe target.copyMemory(from: source) }
                }
            }
        }
    }

    /// A frame whose transparency, if there is any, libavif finds: a whole one is converted in its place, all others
    /// a few rows at a time.
    private mutating func picture(
        ofFrame index: Int, _ header: ImageProbe, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let crop = crop
        try move(toFrame: index, monitor)
        let decoding = try RowDecoding(header, color: color, options: options, monitor: monitor)
        if decoding.isWhole, decoding.targetSize == crop.whole {
            return try decoding.decode(wholePicture(index, size: crop.whole))
        }
        let parts = try unsafe AVIFParts(of: frame(index, size: crop.whole))
        var region = decoding.storedRegion
        return try decoding.decode(showing: region) { sink throws(ImageError) in
            region.x += crop.x
            region.y += crop.y
            try parts.give(region, to: &sink)
        }
    }

    /// All samples of a frame as RGBA with straight alpha, not cut and not turned.
    mutating func samples(ofFrame index: Int, _ monitor: DecodeMonitor) throws(ImageError) -> PixelBuffer {
        // As the header has it: a frame of another size is refused there.
        let size = crop.whole
        try move(toFrame: index, monitor)
        return try wholePicture(index, size: size)
    }

    private mutating func move(toFrame index: Int, _ monitor: DecodeMonitor) throws(ImageError) {
        guard currentFrame != index else { return }
        let keyFrame = unsafe Int(avifDecoderNearestKeyframe(decoder, UInt32(clamping: index)))
        let isAhead = currentFrame.map { $0 < index && $0 + 1 >= keyFrame } ?? false
        var next = isAhead ? (currentFrame ?? 0) + 1 : keyFrame
        currentFrame = nil
        repeat {
            try monitor.check()
            let result = unsafe avifDecoderNthImage(decoder, UInt32(clamping: next))
            guard result == AVIF_RESULT_OK else {
                let failure = failure(result, "in frame \(next)")
                unsafe _ = avifDecoderReset(decoder)
                throw failure
            }
            next += 1
        } while next <= index
        currentFrame = index
    }

    private func wholePicture(_ index: Int, size: PixelSize) throws(ImageError) -> PixelBuffer {
        let image = try unsafe frame(index, size: size)
        guard var pixels = PixelBuffer(size: size, layout: .init(alpha: .straight)) else {
            throw ImageError(.limitExceeded, .decode, "avif of \(size) fits no memory")
        }
        var target = unsafe avifRGBImage()
        unsafe avifRGBImageSetDefaults(&target, image)
        unsafe target.format = AVIF_RGB_FORMAT_RGBA
        unsafe target.depth = 8
        unsafe target.rowBytes = UInt32(clamping: pixels.bytesPerRow)
        let result = unsafe pixels.withUnsafeMutableBytes { bytes in
            unsafe target.pixels = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe avifImageYUVToRGB(image, &target)
        }
        guard result == AVIF_RESULT_OK else { throw failure(result, "in the colour of frame \(index)") }
        return pixels
    }

    /// - Throws: `badImageData` for a frame that is not of the header's size.
    private func frame(_ index: Int, size: PixelSize) throws(ImageError) -> UnsafeMutablePointer<avifImage> {
        guard let image = unsafe image, unsafe PixelSize(Int(image.pointee.width), Int(image.pointee.height)) == size
        else {
            throw ImageError(
                .badImageData, .decode, "the avif is damaged in frame \(index): it is not of the size \(size)")
        }
        return unsafe image
    }

    // MARK: Errors

    private func failure(_ result: avifResult, _ place: String) -> ImageError {
        let name = unsafe avifResultToString(result).map { unsafe String(cString: $0) } ?? "no reason given"
        let detail = unsafe withUnsafeBytes(of: &decoder.pointee.diag.error) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        return ImageError(
            .badImageData, .decode,
            "the avif cannot be read \(place): \(name)" + (detail.isEmpty ? "" : " (\(detail))"))
    }

    private static func data(_ block: avifRWData) -> Data? {
        guard let start = unsafe block.data, unsafe block.size > 0 else { return nil }
        return unsafe Data(bytes: start, count: block.size)
    }
}
