import WebImageFoundation

/// What stands around the path: interceptors, several sources, models.
extension ImageManager {
    /// The path of each source in turn, inside all interceptors.
    func walkAround(_ request: ImageRequest, _ operation: LoadOperation) async -> Result<LoadResult, ImageError> {
        let wished = request.options.priority
        let chain = LoadChain.make(configuration.interceptors[...], request) { request async throws(ImageError) in
            let priority = request.options.priority
            // Not where the caller has changed it since.
            if priority != wished, operation.priority == wished { operation.priority = priority }
            let sources = request.sources(isConstrained: self.configuration.isNetworkConstrained())
            return try await self.first(of: sources, of: request) { request async throws(ImageError) in
                try await self.walk(request, operation)
            }
        }
        do throws(ImageError) {
            return .success(try await chain.proceed())
        } catch {
            return .failure(error)
        }
    }

    /// What the first source brings that brings anything.
    func first<Value: Sendable>(
        of sources: [URL?], of request: ImageRequest, _ bring: (ImageRequest) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        var failures: [ImageError] = []
        for source in sources {
            do throws(ImageError) {
                return try await bring(request.only(source))
            } catch {
                guard !error.isCancelled, sources.count > 1 else { throw error }
                failures.append(error)
            }
        }
        throw .allFailed(failures)
    }

    private func walk(
        _ request: ImageRequest, _ operation: LoadOperation
    ) async throws(ImageError) -> LoadResult {
        let plan = try LoadPlan(request, manager: self, operation.trace)
        try checkNotFailed(plan.request, plan.url)
        guard let hit = imageInMemory(plan.request, plan.keys) else { return try await walk(plan, operation).get() }
        guard plan.mayUseAtOnce(hit.image, at: wallNow) else {
            tellStale(hit, plan, operation)
            return try await walkAsking(plan, operation, toldImage: hit.image).get()
        }
        return LoadResult(await withData(hit, plan), from: plan)
    }
}

extension ImageManager {
    /// The request for a value of a model, as the manager's mappers have it.
    ///
    /// - Throws: `invalidURL` for a value that no mapper knows.
    public func request<Model>(for model: Model) throws(ImageError) -> ImageRequest {
        for mapper in configuration.mappers.reversed() {
            if let request = mapper.request(for: model) { return request }
        }
        throw ImageError(
            .invalidURL, .request, "no mapper knows a \(Model.self); add one to ImageManager.Configuration.mappers")
    }

    /// The picture of a value of a model; see `request(for:)` and `image(for:)`.
    public func image<Model: Sendable>(for model: Model) async throws(ImageError) -> LoadResult {
        try await image(for: try request(for: model))
    }
}

extension ImageError {
    /// The last of the errors of several sources, with all of them.
    fileprivate static func allFailed(_ failures: [ImageError]) -> ImageError {
        guard var error = failures.last else {
            return ImageError(.invalidURL, .request, "there is no source; give the request a URL")
        }
        error.failures = failures
        error.message =
            "none of \(failures.count) sources brought a picture: "
            + failures.map(\.message).joined(separator: "; ")
        return error
    }
}
