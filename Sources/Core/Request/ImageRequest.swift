public import WebImageFoundation

/// One wish for one picture.
public struct ImageRequest: Sendable {
    /// `nil` ends the load with `invalidURL`, so that a caller need not check.
    public var url: URL?
    /// Where to look, in order, when the URL brings no picture. Default nowhere.
    public var alternatives: [URL] = []
    /// A smaller picture of the same subject, loaded first where `ImageManager.Configuration.isNetworkConstrained`.
    public var lowDataURL: URL?
    /// Switches.
    public var options: LoadOptions
    /// All other choices.
    public var context: LoadContext {
        // Lent, not copied: mostly it is asked for one choice of many.
        _read { yield box.context }
        set { box = ContextBox(newValue) }
    }
    private var box: ContextBox

    /// A wish for the picture of a URL.
    public init(_ url: URL?, options: LoadOptions = [], context: LoadContext = LoadContext()) {
        self.url = url
        self.options = options
        box = ContextBox(context)
    }

    /// A context takes up much, is seldom changed once there is a request, and every step of a load has the request.
    private final class ContextBox: Sendable {
        let context: LoadContext

        init(_ context: LoadContext) {
            self.context = context
        }
    }
}

extension ImageRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URL, without its credentials.
    public var description: String { url.map(\.withoutCredentials) ?? "no URL" }
    /// As `description`.
    public var debugDescription: String { description }
}
