/// Carries one HTTP exchange: no redirects, no cache, no queue, no retry; those are above it and alike for all.
public protocol HTTPTransport: Sendable {
    /// Starts an exchange at once. Returns at once; never calls the receiver from inside this call.
    ///
    /// A transport speaks `http` and `https` only and refuses another scheme with `invalidDownloadOperation`.
    func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer
}

/// An exchange under way.
public protocol HTTPTransfer: Sendable {
    /// Ends the exchange. The receiver still gets its one `didFinish`, with `cancelled`, unless it had one before.
    /// Any thread, any number of times.
    func cancel()

    /// Holds the body back: at most what is on its way already is still told, and the server is made to wait. Any
    /// thread. A transport that cannot do so goes on.
    func pause()

    /// Lets the body come again. Any thread.
    func resume()

    /// Says how urgent the exchange is, where the protocol has a way to tell the server. Any thread.
    func setPriority(_ priority: LoadPriority)
}

extension HTTPTransfer {
    /// Goes on.
    public func pause() {}
    /// Does nothing.
    public func resume() {}
    /// Does nothing.
    public func setPriority(_ priority: LoadPriority) {}
}

/// What a transport tells of an exchange: the head, then body parts, then the end.
///
/// All calls come on a thread of the transport, one at a time and in this order; none after `didFinish`, which comes
/// exactly once. They must return soon: while one runs, no other exchange of the transport moves.
public protocol HTTPReceiver: AnyObject, Sendable {
    /// The final head arrived; informational answers (1xx) are not told.
    func didReceive(_ response: HTTPResponse)

    /// The next bytes of the body, transfer and content encodings undone. The pointer is good only inside the call.
    func didReceive(_ bytes: UnsafeRawBufferPointer)

    /// How the exchange went; at most once, just before its end. A transport that does not measure never calls it.
    func didMeasure(_ metrics: TransferMetrics)

    /// `nil` when the body came whole; else one of the codes from 3100 on, or `cancelled`, all of stage `load`.
    func didFinish(_ error: ImageError?)
}

extension HTTPReceiver {
    /// Does nothing.
    public func didMeasure(_ metrics: TransferMetrics) {}
}
