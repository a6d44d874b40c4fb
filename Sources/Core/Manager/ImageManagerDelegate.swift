public import WebImageFoundation

/// Decides for a manager what a single load cannot know.
public protocol ImageManagerDelegate: AnyObject, Sendable {
    /// Whether a picture that no cache has may be asked for at the loader. Otherwise the load ends with `notInCache`.
    /// Called on whatever thread the load is on, only when it would go on to the loader.
    func imageManager(_ manager: ImageManager, shouldLoad url: URL) -> Bool

    /// Whether a URL is to be blocked that failed so; `nil` leaves it to the loader. Called on whatever thread the load
    /// is on.
    func imageManager(_ manager: ImageManager, shouldBlock url: URL, error: ImageError) -> Bool?
}

extension ImageManagerDelegate {
    /// Always.
    public func imageManager(_ manager: ImageManager, shouldLoad url: URL) -> Bool { true }

    /// As the loader says.
    public func imageManager(_ manager: ImageManager, shouldBlock url: URL, error: ImageError) -> Bool? { nil }
}
