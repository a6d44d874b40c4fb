/// How a downloader works. Values may change while it runs; they hold for what starts later.
public struct DownloaderConfiguration: Sendable {
    /// The most exchanges at once, over all hosts. Default 64.
    public var maxConcurrentDownloads: Int
    /// The most exchanges at once with one host over HTTP/1. Default 6, as browsers have it.
    public var maxConcurrentDownloadsPerHost: Int
    /// The most exchanges at once with a host that has answered in HTTP/2. Default 64.
    public var maxConcurrentStreamsPerHost: Int
    /// Who goes first among those of one priority that wait. Default first in, first out; a change holds at once, for
    /// those who wait too.
    public var executionOrder: ExecutionOrder
    /// The least share of the body, 0…1, between two reports of progress. Default 0: a report for each part that
    /// arrives. Means nothing for a body of unknown length.
    public var minimumProgressInterval: Double

    /// Seconds without a byte received until a download fails with `timedOut`. Default 15; 0 means 15. Time in the
    /// queue does not count.
    public var downloadTimeout: Double
    /// Seconds that one download may take in all, redirects included, however the bytes trickle in. Default 3,600; more
    /// is the error `limitExceeded`; 0 is no limit. Time in the queue before its first exchange does not count.
    public var maxDownloadDuration: Double
    /// Bytes of the body a second, on an average over `slowTransferDuration`, below which a download fails with
    /// `timedOut`. Default 64; 0 is no limit.
    public var minimumByteRate: Int
    /// Seconds over which `minimumByteRate` is measured. Default 30.
    public var slowTransferDuration: Double
    /// The most bytes of one body, decoded: a small compressed body that swells counts by what it swells to. Default
    /// 134,217,728 (128 MiB); more is the error `limitExceeded`.
    public var maxBodyByteCount: Int
    /// The most redirects that one download follows. Default 10.
    public var maxRedirectCount: Int

    /// The statuses that bring a picture. Default 200…299; any other is the error `invalidDownloadStatusCode`.
    public var acceptableStatusCodes: Set<Int>
    /// The content types that bring a picture, in lower case and without parameters, such as `image/png`; any other, or
    /// none, is the error `invalidDownloadContentType`. Default `nil`: any.
    public var acceptableContentTypes: Set<String>?
    /// Changes each request before it is sent; `nil` for none. A load's own goes before it.
    public var requestModifier: RequestModifier?
    /// Changes each answer's head before it is judged; `nil` for none. A load's own goes before it.
    public var responseModifier: ResponseModifier?
    /// Deciphers each body; `nil` for none. A load's own goes before it.
    public var decryptor: Decryptor?

    /// What answers a server that asks for Basic or Digest authentication. Sent only to the origin that was asked for.
    public var credential: Credential?
    /// What answers servers of these origins, after a redirect too; goes before `credential`.
    public var credentials: [Origin: Credential]
    /// What is shown to servers of these origins when they ask for a certificate.
    public var clientCertificates: [Origin: ClientCertificate]

    /// The way to servers. Default as the environment says.
    public var proxy: HTTPProxy
    /// Which addresses may be connected to. Default any; a server that fetches what strangers name wants
    /// `publicInternetOnly`. A refused one is the error `addressRefused`.
    public var addressPolicy: AddressPolicy
    /// The schemes that are asked for, redirects included. Default `http` and `https`, and no others are possible.
    public var allowedSchemes: Set<String>
    /// The ports that are asked for, redirects included. Default `nil`: any.
    public var allowedPorts: Set<Int>?

    /// When a failed download is tried again by itself. Default never.
    public var retryPolicy: RetryPolicy
    /// When a host that does not answer is left alone for a while. Default `nil`: never.
    public var circuitBreaker: CircuitBreaker?
    /// Keeps the beginnings of interrupted downloads, so that they go on where they ended. Default `nil`: only while
    /// one download is tried again. `ImageDownloader.shared` has one.
    public var resumeStore: ResumeStore?

    /// Keeps the application running for loads with `continueInBackground`; `nil` for none.
    public var backgroundActivity: (any BackgroundActivity)?
    /// Told what happens to each download, on the thread on which it happens: it must return soon.
    public var observer: (@Sendable (DownloadEvent) -> Void)?

    /// Who goes first among equals.
    public enum ExecutionOrder: Sendable, Hashable {
        /// Who came first.
        case firstInFirstOut
        /// Who came last.
        case lastInFirstOut
    }

    /// The defaults.
    public init() {
        maxConcurrentDownloads = 64
        maxConcurrentDownloadsPerHost = 6
        maxConcurrentStreamsPerHost = 64
        executionOrder = .firstInFirstOut
        minimumProgressInterval = 0
        downloadTimeout = 15
        maxDownloadDuration = 3600
        minimumByteRate = 64
        slowTransferDuration = 30
        maxBodyByteCount = 1 << 27
        maxRedirectCount = 10
        acceptableStatusCodes = Set(200...299)
        credentials = [:]
        clientCertificates = [:]
        proxy = .environment
        addressPolicy = .any
        retryPolicy = .never
        allowedSchemes = ["http", "https"]
    }

    var queueLimits: DownloadQueue.Limits {
        DownloadQueue.Limits(
            total: maxConcurrentDownloads, perHost: maxConcurrentDownloadsPerHost,
            streamsPerHost: maxConcurrentStreamsPerHost)
    }
}
