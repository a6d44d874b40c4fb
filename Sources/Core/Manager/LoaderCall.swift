/// A question to a loader, which is answered exactly once and at once when cancelled, whatever the loader does: it may
/// be one of a user's own.
final class LoaderCall: ImageOperation {
    private let listener: Listener<LoadedData>
    private let current: CurrentOperation

    init(
        priority: LoadPriority, progress: @escaping Listener<LoadedData>.Progress,
        completion: @escaping Listener<LoadedData>.Completion
    ) {
        listener = Listener(progress: progress, completion: completion)
        current = CurrentOperation(priority: priority)
    }

    func start(_ loader: any ImageLoader, _ request: ImageRequest) {
        current.become(
            loader.load(request, progress: { [listener] in listener.tell($0) }) { [listener] in listener.finish($0) })
    }

    var priority: LoadPriority {
        get { current.priority }
        set { current.priority = newValue }
    }

    func cancel() {
        current.cancel()
        listener.finish(.failure(.cancelled(.load)))
    }
}
