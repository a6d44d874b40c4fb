/// How the pixels of a smaller or larger picture are made from those of the source.
public struct Resampling: Sendable, Hashable {
    /// How source pixels are weighed.
    public var filter: ResamplingFilter
    /// In which light they are.
    public var light: Light

    /// In which light pixels are weighed together.
    public enum Light: String, Sendable, Hashable, CaseIterable {
        /// As the samples are stored. What browsers and desktops do; fast.
        case encoded
        /// As light adds up in the eye: 8-bit samples are decoded by the transfer function of sRGB (IEC 61966-2-1) for
        /// the work and encoded after it. Fine bright detail keeps its brightness. Takes several times as long. Half
        /// floats are weighed as they are.
        case linear
    }

    /// A filter, in the light of the samples as stored unless another is given.
    public init(_ filter: ResamplingFilter, light: Light = .encoded) {
        self.filter = filter
        self.light = light
    }

    /// `ResamplingFilter.nearest`, samples as stored.
    public static let nearest = Resampling(.nearest)
    /// `ResamplingFilter.box`, samples as stored.
    public static let box = Resampling(.box)
    /// `ResamplingFilter.bilinear`, samples as stored.
    public static let bilinear = Resampling(.bilinear)
    /// `ResamplingFilter.mitchell`, samples as stored.
    public static let mitchell = Resampling(.mitchell)
    /// `ResamplingFilter.lanczos3`, samples as stored: the default everywhere.
    public static let lanczos3 = Resampling(.lanczos3)

    /// Whether a decoder may make the picture smaller before, by means of its own of samples as stored. A filter that
    /// takes single pixels must see all of them.
    package var mayFollowReducing: Bool { filter != .nearest && light == .encoded }
}
