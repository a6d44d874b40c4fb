import CWebImageWebP
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Makes files of one picture, or of frames that are pulled one by one.
struct WebPEncoding {
    private let options: EncodeOptions
    private let monitor: DecodeMonitor

    init(_ options: EncodeOptions, _ monitor: DecodeMonitor = DecodeMonitor()) {
        self.options = options
        self.monitor = monitor
    }

    func data(of image: DecodedImage) throws(ImageError) -> Data {
        let search = EncodeSearch(image.pixelSize, to: .webP, options: options)
        return try search.data(hasQuality: true, monitor) { attempt throws(ImageError) in
            let config = try Self.configuration(quality: attempt.quality)
            let picture = try WebPSourcePicture(image.resized(to: attempt.size), .of(config))
            return try WebPContainer.adding(options.metadata, to: picture.encoded(config, monitor))
        }
    }

    func data(of frames: any FrameSource) throws(ImageError) -> Data {
        let first = try frames.frame(at: 0)
        if options.firstFrameOnly || frames.frameCount == 1 { return try data(of: first) }
        let search = EncodeSearch(first.pixelSize, to: .webP, options: options)
        return try search.data(hasQuality: true) { attempt throws(ImageError) in
            try WebPContainer.adding(options.metadata, to: animation(frames, first, attempt))
        }
    }

    private func animation(
        _ frames: any FrameSource, _ first: DecodedImage, _ attempt: EncodeSearch.Attempt
    ) throws(ImageError) -> Data {
        let durations = try frames.durationOfEach()
        let config = try Self.configuration(quality: attempt.quality)
        let writer = try WebPAnimationWriter(
            attempt.size, loopCount: options.loopCount ?? frames.loopCount, config)
        for index in 0..<frames.frameCount {
            let image = index == 0 ? first : try frames.frame(at: index)
            guard image.pixelSize == first.pixelSize else {
                throw ImageError(
                    .encodingFailed, .store,
                    "frame \(index) is \(image.pixelSize) and the first is \(first.pixelSize); a webp needs frames of "
                        + "one size")
            }
            let picture = try WebPSourcePicture(image.resized(to: attempt.size), .colors)
            try writer.add(picture, duration: durations[index])
        }
        return try writer.finish()
    }

    /// Lossless from a quality of 1 on; then even what nobody sees is kept.
    private static func configuration(quality: Double) throws(ImageError) -> WebPConfig {
        var config = WebPConfig()
        guard unsafe WebPConfigInit(&config) != 0 else { throw versionMismatch() }
        if quality < 1 {
            config.quality = Float(quality * 100)
        } else {
            config.lossless = 1
            config.exact = 1
        }
        return config
    }

    static func failure(_ message: String) -> ImageError {
        ImageError(.encodingFailed, .store, "the webp could not be written: \(message)")
    }

    static func versionMismatch() -> ImageError {
        failure("the installed libwebp is of another version than this was built for")
    }
}
