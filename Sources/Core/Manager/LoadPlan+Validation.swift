import WebImageFoundation

extension LoadPlan {
    /// When the server is asked about a picture that a cache has.
    enum Validation {
        case never
        /// Each time, and the cached picture is shown meanwhile.
        case always
        /// When the picture is no longer fresh by the server's word.
        case whenStale
    }

    /// What may be done with a cached picture.
    enum Verdict {
        case use
        /// It is the result, and the server is asked meanwhile.
        case useAndRevalidate
        case revalidate
        /// It is another picture than this load asks for.
        case ignore
    }

    var validation: Validation {
        guard !isLocal, options.isDisjoint(with: [.fromCacheOnly, .fromLoaderOnly]) else { return .never }
        if options.contains(.refreshCached) { return .always }
        return context.cachePolicy == .http ? .whenStale : .never
    }

    func verdict(_ validators: DiskMetadata.Validators, at now: WallTime) -> Verdict {
        guard validation != .never else { return .use }
        let headers = loader.headers(for: request)
        guard validators.matches(headers) else { return .ignore }
        let freshness = HTTPFreshness(validators, at: now)
        if validation == .always { return freshness.isImmutable ? .use : .revalidate }
        let wish = RequestCacheControl(headers)
        if freshness.isFresh(for: wish) { return .use }
        return freshness.isUsableWhileRevalidating && !wish.isDemanding ? .useAndRevalidate : .revalidate
    }

    /// Whether it sends the header fields on which an answer depends as the request did that brought it.
    func sends(what validators: DiskMetadata.Validators) -> Bool {
        validators.matches(loader.headers(for: request))
    }

    /// Whether a picture in memory may be the result without asking anyone.
    func mayUseAtOnce(_ image: DecodedImage, at now: WallTime) -> Bool {
        switch validation {
        case .never: return true
        case .always, .whenStale:
            guard let validators = image.validators, case .use = verdict(validators, at: now) else { return false }
            return true
        }
    }

    /// Whether a picture may be kept in memory for later loads.
    func mayReuse(_ image: DecodedImage) -> Bool {
        context.cachePolicy != .http || image.mayBeStored
    }

    /// The same load, which asks the server whether a cached picture is still good.
    func asking(about image: DecodedImage?, _ validators: DiskMetadata.Validators) -> LoadPlan {
        var request = fromLoaderOnly
        // Half of the new picture is less than the whole old one, which is on show.
        request.options.remove(.progressiveLoad)
        request.context.loaderCachedImage = image
        var headers = validators.conditions
        headers.replace(with: context.headers)
        request.context.headers = headers
        return LoadPlan(self, request)
    }

    /// The same load, past the caches.
    var unconditional: LoadPlan { LoadPlan(self, fromLoaderOnly) }

    /// The same load, past the caches that have nothing for it; one that obeys the server shares what others get, and
    /// judges it by an `AnswerRule`.
    var pastCaches: LoadPlan {
        LoadPlan(self, fromLoaderOnly, sharesPastCaches: validation == .whenStale && sharesLate)
    }

    /// The same load, without the network.
    var fromCacheOnly: LoadPlan {
        var request = request
        request.options.insert(.fromCacheOnly)
        return LoadPlan(self, request)
    }

    private var fromLoaderOnly: ImageRequest {
        var request = request
        request.options.insert(.fromLoaderOnly)
        return request
    }
}

extension DecodedImage {
    /// Whether the server allows to keep it on disk. Not inlined; see `SourceImage`.
    @inline(never) var mayBeStored: Bool { validators?.mayBeStored ?? true }
}

extension HTTPFreshness {
    /// Whether a cached picture may stand in when asking ended so: nobody answered, or a server with a fault of its own
    /// (RFC 5861, 4).
    func isUsable(after error: ImageError) -> Bool {
        guard isUsableOnError else { return false }
        switch error.code {
        case .invalidDownloadStatusCode: return [500, 502, 503, 504].contains(error.statusCode)
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .truncatedBody, .secureConnectionFailed,
            .transportFailed:
            return true
        default: return false
        }
    }
}
