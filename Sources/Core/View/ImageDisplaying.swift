public import WebImageFoundation

/// What shows pictures: a view, or what stands for one. A view kit conforms its views, and gives each a `ViewLoads`.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// Shows a picture in place of the one there; `nil` shows nothing.
    ///
    /// - Parameters:
    ///   - presentation: Why, and how it is to appear.
    ///   - completion: To be called once when it is shown as it is to stay: at once, or at the end of the transition.
    func display(
        _ image: DecodedImage?, as presentation: ImagePresentation, completion: @escaping @MainActor () -> Void)
}

/// Why a view is given a picture, and how it is to appear.
public struct ImagePresentation: Sendable {
    /// Why a view is given a picture.
    public enum Role: Sendable, Hashable {
        /// Until there is a better one.
        case placeholder
        /// What can be shown before the end: part of the picture while its bytes arrive, or with `refreshCached` the
        /// cached one while the server is asked.
        case partial
        /// The picture that was asked for.
        case image
        /// In place of one that could not be loaded, or for want of a URL.
        case error
    }

    /// Why.
    public let role: Role
    /// The slot: which of the view's pictures it is.
    public let operationKey: String
    /// The file, where the load brought it.
    public let data: Data?
    /// Where the picture came from; `nil` for one that was not loaded.
    public let source: LoadSource?
    /// How to go over to it; `nil` replaces at once.
    public let transition: ImageTransition?
}
