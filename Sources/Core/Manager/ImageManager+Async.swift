public import WebImageFoundation

extension ImageManager {
    /// The picture of a URL.
    ///
    /// Cancelling the task cancels the load, with the error `cancelled`.
    public func image(
        from url: URL?, options: LoadOptions = [], context: LoadContext = LoadContext()
    ) async throws(ImageError) -> LoadResult {
        try await image(for: ImageRequest(url, options: options, context: context))
    }

    /// The picture of a request; the context's callback queue is not used.
    ///
    /// Cancelling the task cancels the load, with the error `cancelled`.
    public func image(for request: ImageRequest) async throws(ImageError) -> LoadResult {
        let operation = load(request, on: .immediate, nil, nil)
        let result = await withTaskCancellationHandler {
            await operation.result
        } onCancel: {
            operation.cancel()
        }
        return try result.get()
    }

    /// What happens to a load, ending with exactly one terminal event.
    ///
    /// The load starts at once; it is cancelled when the stream is dropped, and when the task that reads it is
    /// cancelled, for which the stream ends without an event, as Swift's streams do. A reader that falls far behind
    /// misses early progress. The context's callback queue is not used.
    public func events(for request: ImageRequest) -> AsyncStream<LoadEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LoadEvent.self, bufferingPolicy: .bufferingNewest(64))
        let progress: LoadOperation.Progress = {
            continuation.yield($0.staleResult.map { .stale($0) } ?? .progress($0))
            if let picture = $0.partialImage { continuation.yield(.partial(picture)) }
        }
        let operation = load(request, on: .immediate, progress) { result in
            continuation.yield(LoadEvent(result))
            continuation.finish()
        }
        continuation.onTermination = { _ in operation.cancel() }
        return stream
    }
}

extension LoadEvent {
    fileprivate init(_ result: Result<LoadResult, ImageError>) {
        switch result {
        case .success(let result): self = .finished(result)
        case .failure(let error): self = error.isCancelled ? .cancelled : .failed(error)
        }
    }
}
