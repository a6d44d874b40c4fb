import WebImageFoundation

extension LoadPlan {
    /// Whether nothing was done to the original but to decode it at its size.
    func isWholeDecode(_ picture: SourceImage) -> Bool {
        (!isTransformed || picture.isUntransformed) && !picture.image.attributes.isThumbnail
    }

    /// The bytes under which a thumbnail or a transformed picture is kept on disk. May take long.
    func bytes(of picture: SourceImage, original: SourceImage) throws(ImageError) -> Data {
        if let data = context.cacheSerializer?.data(of: picture.image, nil, for: url) { return data }
        if let animation = try animationBytes(of: picture, original: original) { return animation }
        let format = picture.image.preferredFormat(for: coder)
        return try coder.encode(picture.image, to: format, options: context.encodeOptions)
    }

    /// What is kept beside a file on disk.
    ///
    /// Not inlined: it handles much, which would lie in the memory of every task that writes.
    @inline(never)
    func metadata(of file: File, _ original: SourceImage) -> DiskMetadata {
        let (contentType, body) =
            switch file {
            case .original: (original.record.contentType, original.record.data)
            case .result: (String?.none, Data?.none)
            }
        return DiskMetadata(contentType, original.image.validators, body: body, url: url)
    }

    /// The whole animation as a file, frame by frame, so that it moves after a restart too.
    private func animationBytes(of picture: SourceImage, original: SourceImage) throws(ImageError) -> Data? {
        guard picture.image.isAnimated, !context.encodeOptions.firstFrameOnly, let data = original.record.data,
            let coder = coder as? any AnimatedImageCoder, let format = animationFormat(of: picture.image, coder),
            let frames = try resultFrames(of: data, isUntransformed: picture.isUntransformed)
        else { return nil }
        return try coder.encode(frames, to: format, options: context.encodeOptions)
    }

    /// The picture's own format where that holds all colours and alpha, else another that does.
    private func animationFormat(of image: DecodedImage, _ coder: any AnimatedImageCoder) -> ImageFormat? {
        let own = image.attributes.format.map { $0 == .gif ? [] : [$0] } ?? []
        return (own + [.webP, .png, .gif]).first { coder.canEncodeAnimation(to: $0) }
    }
}
