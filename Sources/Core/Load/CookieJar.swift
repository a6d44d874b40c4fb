/// Names a set of cookies that a transport keeps; copies name the same set.
///
/// The cookies live in memory, as long as the transport does.
public struct CookieJar: Sendable, Hashable {
    private let identity = Identity()

    /// A new, empty jar.
    public init() {}
}
