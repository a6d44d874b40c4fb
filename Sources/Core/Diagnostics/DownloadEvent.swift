/// What happens to a download, told to the observer of its downloader.
///
/// A download that several loads share is told once. The order is started, perhaps response, stopped, and finished for
/// one that brought its bytes.
public struct DownloadEvent: Sendable {
    /// The download; another number for each of the downloader's.
    public let id: UInt64
    /// What is asked for now: after a redirect, its target.
    public let request: HTTPRequest
    /// What happened.
    public let kind: Kind

    /// What can happen.
    public enum Kind: Sendable {
        /// It has a place in the queue, and its first exchange begins.
        case started
        /// The head of the answer is here, after the response modifier, accepted or not.
        case receivedResponse(HTTPResponse)
        /// Nothing more happens on the network; the error is why, where there is one.
        case stopped(ImageError?, DownloadMetrics)
        /// The body is here, whole and accepted.
        case finished(DownloadMetrics)
    }
}
