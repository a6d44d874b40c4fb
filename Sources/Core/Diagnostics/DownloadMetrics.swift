/// How one exchange with a server went.
///
/// Durations are counted from the exchange's start, which is when it got its place in the queue; a step that did not
/// happen, such as a look-up on a connection that is used again, is `nil`.
public struct TransferMetrics: Sendable, Hashable {
    /// Until the name had an address.
    public var nameLookup: Duration?
    /// Until the connection stood.
    public var connect: Duration?
    /// Until TLS stood.
    public var secureConnect: Duration?
    /// Until the request began to go out.
    public var requestStart: Duration?
    /// Until the first byte of the answer.
    public var firstByte: Duration?
    /// Until the end.
    public var total: Duration
    /// Bytes sent, the head included.
    public var sentByteCount: Int
    /// Bytes received, heads included, before any content encoding is undone.
    public var receivedByteCount: Int
    /// `http/1.0`, `http/1.1`, `h2` or `h3`; empty when no answer came.
    public var protocolName: String
    /// Whether the connection had served before.
    public var isReusedConnection: Bool
    /// The address that was connected to: the server's, or its proxy's.
    public var remoteAddress: IPAddress?

    /// An exchange of which only the duration is known.
    public init(total: Duration) {
        self.total = total
        sentByteCount = 0
        receivedByteCount = 0
        protocolName = ""
        isReusedConnection = false
    }
}

/// How one download went: an exchange for each redirect and each question for credentials, and the last one.
public struct DownloadMetrics: Sendable, Hashable {
    /// The time spent waiting for a place, over all exchanges.
    public var queue: Duration = .zero
    /// From the start to the end, waiting included.
    public var total: Duration = .zero
    /// The exchanges in order; none where the transport does not measure.
    public var transfers: [TransferMetrics] = []

    /// Nothing happened yet.
    public init() {}

    /// Bytes received over all exchanges.
    public var receivedByteCount: Int { transfers.reduce(0) { $0 + $1.receivedByteCount } }
}
