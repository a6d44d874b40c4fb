import Dispatch

/// Where a program's windows live.
enum MainThread {
    /// Whether the caller runs on the thread that the program started on, or on the main queue.
    ///
    /// On Linux `dispatchMain`, which an async `main` ends in, gives that thread up: the main queue then runs on
    /// others, one at a time.
    static var isCurrent: Bool {
        Platform.isMainThread || DispatchQueue.getSpecific(key: marker) != nil
    }

    private static let marker = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()
}
