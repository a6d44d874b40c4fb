public import WebImageCore
public import WebImageFoundation

/// HTTP/1.1 and HTTP/2 on libcurl.
///
/// One thread of its own carries all exchanges: it starts with the first one and ends once the transport is gone and
/// the last exchange is over. Connections are kept open and used again; content encodings are undone; cookies are kept
/// for requests that bring a jar; `.netrc` and redirects are left to the layers above.
/// The request target is spelled as the URL spells it, without the fragment.
///
/// Letting go of the transport does not cancel what runs.
public final class CurlTransport: HTTPTransport {
    private let inbox: CurlInbox

    /// What can be set about a transport, once, before its first exchange.
    public struct Configuration: Sendable, Hashable {
        /// Seconds until a connection (name, TCP and TLS) must stand; else the exchange fails with `timedOut`.
        /// Default 15. A request whose own timeout is shorter waits only that long.
        public var connectTimeout: Double = 15
        /// Seconds that a connection may lie idle and still be used again. Default 118, libcurl's own: servers and what
        /// lies between forget connections after one to five minutes. Less than 1 counts as 1.
        public var idleConnectionTimeout: Double = 118
        /// How many connections one host gets. Default 6, as browsers do. Exchanges beyond that wait in libcurl, where
        /// their timeout does not run; HTTP/2 hosts need only one connection.
        public var maxConnectionsPerHost = 6
        /// The size of the buffer that each exchange receives into, hence of the largest body part: 1 KB to 512 KB.
        /// Default 96 KB: with less, large bodies take more steps. It is taken while an exchange runs, and touched as
        /// far as bytes come.
        public var receiveBufferByteCount = 96 * 1024
        /// A file of certificates (PEM) that are trusted instead of the system's. Default `nil`: the system's.
        public var certificateAuthorities: URL?
        /// The most header fields of one answer. Default 100; more fails with `transportFailed`.
        public var maxHeaderFieldCount = 100
        /// The most bytes of one answer's head, informational heads and trailers included. Default 64 KB; more fails
        /// with `transportFailed`.
        public var maxHeaderByteCount = 64 * 1024

        /// The defaults above.
        public init() {}
    }

    /// Starts nothing yet: neither thread nor connection.
    public init(configuration: Configuration = Configuration()) {
        inbox = CurlInbox(configuration: configuration)
    }

    deinit {
        inbox.close()
    }

    /// Starts an exchange; see `HTTPTransport.start`.
    ///
    /// A timeout that is zero, negative or not a finite number means no timeout. A request that cannot be sent (another
    /// scheme, no host, a line break in a header) fails with `invalidDownloadOperation`.
    public func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer {
        let transfer = CurlTransfer(request, receiver: receiver, inbox: inbox)
        if !inbox.post(.start(transfer)) {
            // There is no thread to tell it on, and the receiver must not be called from in here.
            let fault = CurlFault.noTransport
            if !CurlThread.start({ transfer.finish(fault) }) { Task.detached { transfer.finish(fault) } }
        }
        return transfer
    }
}
