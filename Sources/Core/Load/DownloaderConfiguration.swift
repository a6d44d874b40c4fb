/// How a downloader works. Values may change while it runs; they hold for what starts later.
public struct DownloaderConfiguration: Sendable {
    /// The most exchanges at once, over all hosts. Default 64.
    public var maxConcurrentDownloads: Int
    /// The most exchanges at once with one host over HTTP/1. Default 6, as browsers have it.
    public var maxConcurrentDownloadsPerHost: Int
    /// The most exchanges at once with a host that has answered in HTTP/2. Default 64.
    public var maxConcurrentStreamsPerHost: Int
    /// Seconds without a byte received until a download fails with `timedOut`. Default 15; 0 means 15. Time in the
    /// queue does not count.
    public var downloadTimeout: Double
    /// Seconds that one download may take in all, redirects included, however the bytes trickle in. Default 3,600; more
    /// is the error `limitExceeded`; 0 is no limit. Time in the queue before its first exchange does not count.
    public var maxDownloadDuration: Double
    /// The most bytes of one body, decoded. Default 134,217,728 (128 MiB); more is the error `limitExceeded`.
    public var maxBodyByteCount: Int
    /// The most redirects that one download follows. Default 10.
    public var maxRedirectCount: Int
    /// The statuses that bring a picture. Default 200…299; any other is the error `invalidDownloadStatusCode`.
    public var acceptableStatusCodes: Set<Int>
    /// What answers a server that asks for Basic authentication. Sent only to the origin that was asked for.
    public var credential: Credential?

    /// A user name and a password.
    public struct Credential: Sendable, Hashable {
        /// The user name, without a colon.
        public var user: String
        /// The password.
        public var password: String

        /// A user name and a password, sent as UTF-8.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// The defaults.
    public init() {
        maxConcurrentDownloads = 64
        maxConcurrentDownloadsPerHost = 6
        maxConcurrentStreamsPerHost = 64
        downloadTimeout = 15
        maxDownloadDuration = 3600
        maxBodyByteCount = 1 << 27
        maxRedirectCount = 10
        acceptableStatusCodes = Set(200...299)
        credential = nil
    }

    var queueLimits: DownloadQueue.Limits {
        DownloadQueue.Limits(
            total: maxConcurrentDownloads, perHost: maxConcurrentDownloadsPerHost,
            streamsPerHost: maxConcurrentStreamsPerHost)
    }
}
