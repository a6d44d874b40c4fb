/// What kind of picture a renderer makes.
public struct ImageRendererFormat: Hashable, Sendable {
    /// Pixels per point. Default 1: there is no screen here to ask.
    public var scale: Double
    /// Whether the picture has no alpha; then it is black at first. Default `false`: it is transparent at first.
    public var isOpaque: Bool

    /// A picture with alpha and a pixel per point, or another.
    public init(scale: Double = 1, isOpaque: Bool = false) {
        self.scale = scale
        self.isOpaque = isOpaque
    }
}
