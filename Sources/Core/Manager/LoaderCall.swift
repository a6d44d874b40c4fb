/// A question to a loader, which is answered exactly once and at once when cancelled, whatever the loader does: it may
/// be one of a user's own.
final class LoaderCall: ImageOperation {
    private let listener: Listener<LoadedData>
    private let step: CurrentStep

    init(priority: LoadPriority, progress: @escaping Listener<LoadedData>.Progress) {
        listener = Listener(progress: progress)
        step = CurrentStep(priority: priority)
    }

    func start(_ loader: any ImageLoader, _ request: ImageRequest) {
        step.become(loader.load(request, progress: { self.listener.tell($0) }, completion: { self.finish($0) }))
    }

    /// The answer; to be asked for once.
    var result: Result<LoadedData, ImageError> {
        get async { await listener.result }
    }

    var priority: LoadPriority {
        get { step.priority }
        set { step.setPriority(newValue) }
    }

    func cancel() {
        step.cancel()
        finish(.failure(.cancelled(.load)))
    }

    private func finish(_ result: Result<LoadedData, ImageError>) {
        listener.finish(result)
        // The loader's operation may hold the closures that hold this.
        step.end()
    }
}
