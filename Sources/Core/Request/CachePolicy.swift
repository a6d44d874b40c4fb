/// How long a picture in the cache is good.
///
/// Whatever the policy is, what a server forbids to store (`Cache-Control: no-store`) never comes to lie on disk, and
/// `LoadOptions.refreshCached` asks the server each time.
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// As long as it is in the cache, whatever the server said: SDWebImage's rule, and the fastest.
    case untilExpired
    /// As long as the server said (RFC 9111): `Cache-Control`, `Expires`, `Age` and `Vary` are obeyed, and a picture
    /// that is no longer fresh is asked for again, by its `ETag` or date where it has one.
    ///
    /// Within `stale-while-revalidate` the cached picture is the result, marked `stale`, and the server is asked
    /// meanwhile; within `stale-if-error` it is when the server cannot be asked or answers with a fault of its own (RFC
    /// 5861). A cached picture whose `Vary` names header fields that this load sends otherwise counts as missing; what
    /// a request modifier changes is not compared. Without a word of the server a picture is fresh for a tenth of the
    /// time since its last change, a day at most, and not at all where no date is known.
    ///
    /// Loads of one picture at once share one request where its answer may be used again; where it may not (`no-store`,
    /// `no-cache`, too old), those that began after the request was sent share a second one. `no-cache`, `no-store`,
    /// `max-age` and `min-fresh` in the load's own `Cache-Control` are obeyed too.
    case http
}
