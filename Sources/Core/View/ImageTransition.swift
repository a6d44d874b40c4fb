/// How a view goes over from one picture to the next.
public struct ImageTransition: Sendable {
    /// The movement; a view kit does those it can and takes the others for `.fade`.
    public enum Effect: Sendable, Hashable {
        /// One picture shows through the other more and more.
        case fade
        /// The view turns about an edge.
        case flipFromLeft, flipFromRight, flipFromTop, flipFromBottom
        /// The old picture is turned like a page.
        case curlUp, curlDown
    }

    /// The movement.
    public var effect: Effect
    /// How long it takes. Default half a second, as in SDWebImage.
    public var duration: Duration
    /// Called on the main thread before it begins.
    public var prepare: (@MainActor @Sendable () -> Void)?
    /// Called on the main thread when it has ended; not for one that a newer picture cut short.
    public var completion: (@MainActor @Sendable () -> Void)?

    /// A transition.
    public init(_ effect: Effect, duration: Duration = .milliseconds(500)) {
        self.effect = effect
        self.duration = duration
    }

    /// One picture shows through the other more and more.
    public static func fade(duration: Duration = .milliseconds(500)) -> ImageTransition {
        ImageTransition(.fade, duration: duration)
    }
}

extension LoadResult {
    /// Whether a picture goes over with a transition: not one that was there at once, unless the options force it.
    func usesTransition(_ options: LoadOptions) -> Bool {
        guard !options.contains(.forceTransition) else { return true }
        switch source {
        case .memory: return false
        case .disk: return options.isDisjoint(with: [.queryDiskDataSync, .queryMemoryDataSync])
        case .network: return true
        }
    }
}
