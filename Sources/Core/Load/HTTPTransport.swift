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

    /// `nil` when the body came whole; else one of the codes from 3100 on, or `cancelled`, all of stage `load`.
    func didFinish(_ error: ImageError?)
}
