/// The one error of this library: what happened, where on the path, and what to do about it.
public struct ImageError: Error, Sendable {
    /// What happened, for code to decide on.
    public var code: Code
    /// Where on the path.
    public var stage: LoadStage
    /// What happened and what to do, for a person; a sentence without a full stop.
    public var message: String
    /// The HTTP status, where a server answered with one that was not accepted.
    public var statusCode: Int? {
        get { causes.value.statusCode }
        set { causes = causes.with { $0.statusCode = newValue } }
    }
    /// The head of the server's answer, where that is what the error is about: with `cacheNotModified` and
    /// `invalidDownloadStatusCode`.
    public var response: HTTPResponse? {
        get { causes.value.response }
        set { causes = causes.with { $0.response = newValue } }
    }
    /// What another library said, where one did.
    public var underlying: (any Error)? {
        get { causes.value.underlying }
        set { causes = causes.with { $0.underlying = newValue } }
    }
    /// What each source failed with, in order, where a request had several.
    public var failures: [ImageError] {
        get { causes.value.failures }
        set { causes = causes.with { $0.failures = newValue } }
    }
    private var causes: Causes

    /// An error; the message is a sentence without a full stop that says what happened and what to do.
    public init(
        _ code: Code, _ stage: LoadStage, _ message: String, statusCode: Int? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.stage = stage
        self.message = message
        let hasCauses = statusCode != nil || underlying != nil
        causes = hasCauses ? Causes(.init(statusCode: statusCode, underlying: underlying)) : .none
    }

    /// What few errors have, out of the way: every result of a load is as large as an error.
    private final class Causes: Sendable {
        struct Value: Sendable {
            var statusCode: Int?
            var response: HTTPResponse?
            var underlying: (any Error)?
            var failures: [ImageError] = []
        }

        static let none = Causes(Value())
        let value: Value

        init(_ value: Value) {
            self.value = value
        }

        func with(_ change: (inout Value) -> Void) -> Causes {
            var value = value
            change(&value)
            return Causes(value)
        }
    }

    /// An open set of numbers. 1000…2004 are SDWebImage's, with its meaning; from 3000 on they are this library's.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number, kept for ever.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The URL is missing or empty.
        public static let invalidURL = Code(rawValue: 1000)
        /// The bytes are no picture, or a damaged one.
        public static let badImageData = Code(rawValue: 1001)
        /// The server says that the cached picture is still good.
        public static let cacheNotModified = Code(rawValue: 1002)
        /// The URL failed before in a way that does not mend itself; `LoadOptions.retryFailed` tries again.
        public static let blackListed = Code(rawValue: 1003)
        /// No download could be made of the request.
        public static let invalidDownloadOperation = Code(rawValue: 2000)
        /// The HTTP status is not one of the accepted; see `ImageError.statusCode`.
        public static let invalidDownloadStatusCode = Code(rawValue: 2001)
        /// The caller cancelled.
        public static let cancelled = Code(rawValue: 2002)
        /// The server's answer makes no sense, such as a redirect without a target.
        public static let invalidDownloadResponse = Code(rawValue: 2003)
        /// The content type is not one of the accepted.
        public static let invalidDownloadContentType = Code(rawValue: 2004)

        /// A limit was crossed; the message names it and how to raise it.
        public static let limitExceeded = Code(rawValue: 3000)
        /// The bytes are of no format that a registered coder knows.
        public static let unknownFormat = Code(rawValue: 3001)
        /// No coder can write the asked format, or the picture cannot be written in it.
        public static let encodingFailed = Code(rawValue: 3002)
        /// The transformer could make no picture, or the part that was asked for lies outside of it.
        public static let transformFailed = Code(rawValue: 3003)
        /// No loader takes this URL.
        public static let noLoader = Code(rawValue: 3004)
        /// `LoadOptions.fromCacheOnly` was set and no cache has the picture.
        public static let notInCache = Code(rawValue: 3005)
        /// An entry could not be written to the disk cache.
        public static let storeFailed = Code(rawValue: 3006)
        /// A local file could not be read.
        public static let fileNotReadable = Code(rawValue: 3007)

        /// A loader or a request's closure failed in a way of its own; see `ImageError.underlying`.
        public static let loaderFailed = Code(rawValue: 3010)

        /// The host's name has no address.
        public static let cannotFindHost = Code(rawValue: 3100)
        /// Nothing answers at the host's address and port.
        public static let cannotConnect = Code(rawValue: 3101)
        /// Nothing arrived for too long.
        public static let timedOut = Code(rawValue: 3102)
        /// The connection broke in mid-transfer.
        public static let connectionLost = Code(rawValue: 3103)
        /// The body ended before its announced end.
        public static let truncatedBody = Code(rawValue: 3104)
        /// The server's certificate or the TLS handshake was refused.
        public static let secureConnectionFailed = Code(rawValue: 3105)
        /// More redirects than allowed, or one to another scheme.
        public static let redirectRefused = Code(rawValue: 3106)
        /// Any other fault of the transport.
        public static let transportFailed = Code(rawValue: 3107)
        /// The downloader's configuration does not allow the address, the scheme or the port.
        public static let addressRefused = Code(rawValue: 3108)
        /// The bytes do not have the digest that the server announced.
        public static let digestMismatch = Code(rawValue: 3109)
        /// The host has failed so often that it is left alone for a while; see `CircuitBreaker`.
        public static let hostUnavailable = Code(rawValue: 3110)
    }
}

extension ImageError: CustomStringConvertible {
    /// `load: the server answered 404 (2001)`.
    public var description: String { "\(stage.rawValue): \(message) (\(code.rawValue))" }
}

extension ImageError {
    /// The caller cancelled while the load was in the given stage.
    public static func cancelled(_ stage: LoadStage) -> ImageError {
        ImageError(.cancelled, stage, "cancelled by the caller")
    }

    /// Whether the caller cancelled: no fault, and nothing to show.
    public var isCancelled: Bool { code == .cancelled }
}
