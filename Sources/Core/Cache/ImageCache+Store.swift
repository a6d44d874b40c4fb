public import WebImageFoundation

extension ImageCache {
    /// Keeps a picture in the given layers; memory has it when this returns.
    ///
    /// On disk it lies as `data`, or encoded in its own format where the coder writes that, else as PNG when it has
    /// alpha and as JPEG when not. Its `extendedData` are kept beside it.
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
                let format = image.preferredFormat(for: coder)
                let data = try coder.encode(image, to: format, options: context.encodeOptions)
                try disk.store(data, for: key, metadata: metadata)
            }, completion: finish)
    }

    /// Keeps an animation on disk in the given format, or as GIF.
    ///
    /// - Parameter completion: Gets what could not be encoded or written, or `nil`; through the context's callback
    ///   queue, exactly once.
    public func store(
        _ frames: any FrameSource, as format: ImageFormat? = nil, for key: CacheKey,
        context: LoadContext = LoadContext(), completion: @escaping @Sendable (ImageError?) -> Void = { _ in }
    ) {
        let coder = context.imageCoder ?? self.coder
        change(
            key, .unknown,
            { [disk] () throws(ImageError) in
                let format = format ?? .gif
                guard let animated = coder as? any AnimatedImageCoder, animated.canEncodeAnimation(to: format) else {
                    throw ImageError(
                        .encodingFailed, .store,
                        "the cache's coder writes no \(format) animations; give the cache a coder that does")
                }
                let data = try animated.encode(frames, to: format, options: context.encodeOptions)
                try disk.store(data, for: key, metadata: DiskMetadata())
            }, completion: { error in context.callbackQueue.async { completion(error) } })
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
}
