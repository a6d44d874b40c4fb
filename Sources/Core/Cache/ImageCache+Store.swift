public import WebImageFoundation

extension ImageCache {
    /// Keeps a picture in the given layers; memory has it when this returns.
    ///
    /// On disk it lies as `data`, or encoded in its own format where the coder writes that, else as PNG when it has
    /// alpha and as JPEG when not; one with a playable form as an animation, as GIF where its format has none. Its
    /// `extendedData` are kept beside it.
    ///
    /// - Parameters:
    ///   - data: The file that the picture is from; `nil` encodes the picture, on a queue of the cache.
    ///   - context: Its callback queue, coder and encode options are used.
    ///   - completion: Gets what could not be encoded or written, or `nil`; through the callback queue, exactly once.
    public func store(
        _ image: DecodedImage, data: Data? = nil, for key: CacheKey, to type: CacheType = .all,
        context: LoadContext = LoadContext(), completion: @escaping @Sendable (ImageError?) -> Void = { _ in }
    ) {
        if type.includesMemory { storeInMemory(image, for: key) }
        let finish = { @Sendable (error: ImageError?) in context.callbackQueue.async { completion(error) } }
        guard type.includesDisk else { return finish(nil) }
        let metadata = DiskMetadata(extendedData: image.attributes.extendedData)
        if let data { return storeData(data, for: key, metadata: metadata, completion: finish) }
        let coder = context.imageCoder ?? self.coder
        change(
            key, .unknown,
            { [disk] () throws(ImageError) in
                let data = try Self.file(of: image, coder, context.encodeOptions)
                try disk.store(data, for: key, metadata: metadata)
            }, completion: finish)
    }

    /// Keeps a picture in the given layers, and returns when that is done. Not cancelled with the task.
    public func store(
        _ image: DecodedImage, data: Data? = nil, for key: CacheKey, to type: CacheType = .all,
        context: LoadContext = LoadContext()
    ) async throws(ImageError) {
        var context = context
        context.callbackQueue = .immediate
        let error = await withCheckedContinuation { continuation in
            store(image, data: data, for: key, to: type, context: context) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private static func file(
        of image: DecodedImage, _ coder: any ImageCoder, _ options: EncodeOptions
    ) throws(ImageError) -> Data {
        guard let animation = image.animation, animation.frameCount > 1, !options.firstFrameOnly,
            let animated = coder as? any AnimatedImageCoder
        else { return try coder.encode(image, to: image.preferredFormat(for: coder), options: options) }
        let format = image.attributes.format.flatMap { animated.canEncodeAnimation(to: $0) ? $0 : nil }
        return try animated.encode(animation, to: format ?? .gif, options: options)
    }
}
