public import WebImageFoundation

/// Has the last word on the options and the context of every load of a manager, before anything else is done.
public struct OptionsProcessor: Sendable {
    private let process: @Sendable (URL?, LoadOptions, LoadContext) -> Result?

    /// The options and the context to go on with.
    public struct Result: Sendable {
        /// Switches.
        public var options: LoadOptions
        /// All other choices.
        public var context: LoadContext

        /// Options and a context.
        public init(options: LoadOptions, context: LoadContext) {
            self.options = options
            self.context = context
        }
    }

    /// A processor. The closure runs on the thread that asks for the load, with what the request says, the manager's
    /// own transformer, key filter and serializer filled in; `nil` leaves all as it is.
    public init(
        _ process:
            @escaping @Sendable (
                _ url: URL?, _ options: LoadOptions, _ context: LoadContext
            ) -> Result?
    ) {
        self.process = process
    }

    func processed(_ request: ImageRequest) -> ImageRequest {
        guard let result = process(request.url, request.options, request.context) else { return request }
        var request = request
        request.options = result.options
        request.context = result.context
        return request
    }
}
