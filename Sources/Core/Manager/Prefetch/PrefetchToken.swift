public import WebImageFoundation

/// One list of pictures to be loaded in advance.
public final class PrefetchToken: Sendable {
    /// The list.
    public let urls: [URL]
    let template: ImageRequest
    let listener: PrefetchListener
    private let prefetcher: ImagePrefetcher

    init(urls: [URL], template: ImageRequest, listener: PrefetchListener, prefetcher: ImagePrefetcher) {
        self.urls = urls
        self.template = template
        self.listener = listener
        self.prefetcher = prefetcher
    }

    /// Stops loading the list. Its closures are not called any more, unless a call is under way. Any thread, any number
    /// of times.
    public func cancel() {
        listener.close()
        prefetcher.cancel(self)
    }
}
