public import WebImageFoundation
package import WebImagePixels

// What is the same for every coder is done here, once: the largest size, the most bytes, the first frame only. A coder
// gets options without them.
extension CodersManager {
    /// Asks the coder that writes the format.
    ///
    /// With `options.maxPixelSize` the picture is made smaller first. With `options.maxByteCount`, quality is searched
    /// for in at most eight encodes where the format has one; where that does not do, or the format has none, the
    /// picture is made smaller, with ever smaller encodes, until the file fits.
    ///
    /// The monitor is asked before each attempt, and within it as often as the coder does.
    ///
    /// - Throws: `encodingFailed` when no coder writes the format, or not even one pixel fits in `maxByteCount`; what
    ///   the coder throws.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        guard let coder = encoder(of: format) else {
            throw ImageError(.encodingFailed, .store, "no registered coder writes \(format); add one to CodersManager")
        }
        let search = EncodeSearch(image.pixelSize, to: format, options: options)
        return try search.data(hasQuality: format.hasQuality, monitor) { attempt throws(ImageError) in
            try coder.encode(
                image.resized(to: attempt.size), to: format, options: options.settled(attempt.quality),
                monitor: monitor)
        }
    }

    /// Whether any coder writes animations of the format.
    public func canEncodeAnimation(to format: ImageFormat) -> Bool {
        animationEncoder(of: format) != nil
    }

    /// The frames as a file, with `options` as for a single picture. One frame, or the first one only when `options`
    /// say so, gives a still picture; see `encode(_:to:options:monitor:)`.
    ///
    /// Frames are asked for one by one, and a few are in memory at most. What ends it half-way is what a frame throws:
    /// see `FrameSource.watched(by:)`.
    ///
    /// - Throws: `encodingFailed` when no coder writes animations of the format; what the coder throws; what a frame
    ///   throws, with its index before the message.
    public func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data {
        let first = try frames.namedFrame(at: 0)
        guard frames.frameCount > 1, !options.firstFrameOnly else {
            return try encode(first, to: format, options: options)
        }
        guard let coder = animationEncoder(of: format) else {
            throw ImageError(
                .encodingFailed, .store,
                "no registered coder writes \(format) animations; choose gif, png or webp, or set "
                    + "EncodeOptions.firstFrameOnly")
        }
        _ = try frames.durationOfEach()
        let search = EncodeSearch(first.pixelSize, to: format, options: options)
        return try search.data(hasQuality: format.hasQuality) { attempt throws(ImageError) in
            let smaller = ResizedFrames(frames: frames, expectedSize: first.pixelSize, size: attempt.size)
            return try coder.encode(smaller, to: format, options: options.settled(attempt.quality))
        }
    }

    private func animationEncoder(of format: ImageFormat) -> (any AnimatedImageCoder)? {
        let animated = coders.compactMap { $0 as? any AnimatedImageCoder }
        return animated.last { $0.canEncodeAnimation(to: format) }
    }
}

extension ImageFormat {
    /// Whether less quality makes a smaller file.
    fileprivate var hasQuality: Bool {
        [.jpeg, .webP, .avif, .heic, .jpegXL].contains(self)
    }
}

extension EncodeOptions {
    /// For a picture that has its final size already.
    fileprivate func settled(_ quality: Double) -> EncodeOptions {
        var options = self
        options.quality = quality
        options.maxPixelSize = nil
        options.maxByteCount = nil
        options.firstFrameOnly = false
        return options
    }
}

extension DecodedImage {
    /// The same picture at another size, for a file; itself, exact to the bit, where it has that size.
    ///
    /// - Throws: `encodingFailed` for a size of nothing, or of too much.
    package func resized(to size: PixelSize) throws(ImageError) -> DecodedImage {
        guard size != pixelSize else { return self }
        guard let smaller = pixels.resized(to: size) else {
            throw ImageError(.encodingFailed, .store, "no picture of \(size) can be made from one of \(pixelSize)")
        }
        return DecodedImage(pixels: smaller, attributes: attributes)
    }
}

extension FrameSource {
    /// How long each frame is shown, asked for once: sources may make them anew with each question.
    ///
    /// - Throws: `encodingFailed` when there are fewer than frames.
    package func durationOfEach() throws(ImageError) -> [Duration] {
        let durations = durations
        guard durations.count >= frameCount else {
            throw ImageError(.encodingFailed, .store, "the frames have fewer durations than pictures; give each one")
        }
        return durations
    }

    /// A frame whose error says which one it is.
    fileprivate func namedFrame(at index: Int) throws(ImageError) -> DecodedImage {
        do throws(ImageError) {
            return try frame(at: index)
        } catch {
            var named = error
            if frameCount > 1, !error.isCancelled { named.message = "frame \(index): \(error.message)" }
            throw named
        }
    }
}

/// Frames made smaller as they are asked for.
private struct ResizedFrames: FrameSource {
    let frames: any FrameSource
    let expectedSize: PixelSize
    let size: PixelSize

    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }
    var durations: [Duration] { frames.durations }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        let frame = try frames.namedFrame(at: index)
        guard frame.pixelSize == expectedSize else {
            throw ImageError(
                .encodingFailed, .store,
                "frame \(index) is \(frame.pixelSize) and the first is \(expectedSize); make them of one size")
        }
        return try frame.resized(to: size)
    }
}
