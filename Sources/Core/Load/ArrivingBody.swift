public import WebImageFoundation

/// A body that can be read while it arrives.
public struct ArrivingBody: Sendable {
    private let makeReader: @Sendable () -> any BodyReader

    /// - Parameter makeReader: Makes a reader that starts at the first byte; called once for each who reads.
    public init(makeReader: @escaping @Sendable () -> any BodyReader) {
        self.makeReader = makeReader
    }

    /// A reader at the first byte. Let it go when no more is wanted: a loader may hold the server back for it.
    public func reader() -> any BodyReader {
        makeReader()
    }
}

/// One who reads a body while it arrives. One call at a time, from any thread.
public protocol BodyReader: AnyObject, Sendable {
    /// The next bytes of those that are here, at most about a megabyte; empty when there are none yet, and after the
    /// body's end, when the completion has the whole of it.
    func read() -> Data
}

/// Reads a download's body.
final class DownloadReader: BodyReader {
    private let download: Download
    private let id = Identity()

    init(_ download: Download) {
        self.download = download
    }

    deinit {
        download.leave(id)
    }

    func read() -> Data {
        download.read(for: id)
    }
}
