public import WebImageFoundation

extension CodersManager: AnimatedImageCoder {
    /// Asks the coder that reads the bytes. Of a format without animations, the one picture is decoded when it is asked
    /// for.
    ///
    /// - Throws: `unknownFormat` when no coder reads the bytes, `limitExceeded` for too many bytes; what the coder
    ///   throws.
    public func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        try check(byteCount: data.count, options.limits)
        let coder = try requiredDecoder(of: data, hint: options.typeHint)
        if let animated = coder as? any AnimatedImageCoder { return try animated.frames(of: data, options: options) }
        let probe = try coder.probe(data)
        try options.limits.check(probe.size, of: probe.format)
        return StillFrame(data: data, coder: coder, options: options)
    }
}

extension CodersManager: MetadataImageCoder {
    /// Asks the coder that reads the bytes; nothing of a format whose coder reads no metadata.
    ///
    /// - Throws: `unknownFormat` when no coder reads the bytes; what the coder throws.
    public func metadata(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(ImageError) -> ImageMetadata {
        let coder = try requiredDecoder(of: data)
        guard let reading = coder as? any MetadataImageCoder else { return ImageMetadata() }
        return try reading.metadata(of: data, limits: limits)
    }
}

/// The one frame of a still picture.
private struct StillFrame: FrameSource {
    let data: Data
    let coder: any ImageCoder
    let options: DecodeOptions

    var frameCount: Int { 1 }
    var loopCount: Int { 1 }
    var durations: [Duration] { [FrameDuration.played(milliseconds: 0)] }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        guard index == 0 else {
            throw ImageError(
                .badImageData, .decode, "a still picture has no frame at index \(index); frames count from 0")
        }
        return try coder.decode(data, options: options)
    }
}
