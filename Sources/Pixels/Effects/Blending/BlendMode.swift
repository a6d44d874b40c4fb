/// How a source is laid over what is there: the 28 modes of Core Graphics, with its numbers.
///
/// The formulas are those of W3C Compositing and Blending Level 1; plus darker is Core Graphics' own. Source is what
/// comes, destination what is there.
public enum BlendMode: Int, Sendable, Hashable, CaseIterable {
    /// Source over destination.
    case normal = 0
    /// The product; never lighter.
    case multiply
    /// The product of the complements; never darker.
    case screen
    /// Hard light with the two exchanged.
    case overlay
    /// The darker of the two, each channel.
    case darken
    /// The lighter of the two, each channel.
    case lighten
    /// The destination made lighter to reflect the source.
    case colorDodge
    /// The destination made darker to reflect the source.
    case colorBurn
    /// Darker or lighter as the source says, softly.
    case softLight
    /// Multiplied or screened as the source says.
    case hardLight
    /// The distance of the two.
    case difference
    /// Like difference, with less contrast.
    case exclusion
    /// Hue of the source; saturation and luminosity of the destination.
    case hue
    /// Saturation of the source; hue and luminosity of the destination.
    case saturation
    /// Hue and saturation of the source; luminosity of the destination.
    case color
    /// Luminosity of the source; hue and saturation of the destination.
    case luminosity
    /// Nothing.
    case clear
    /// The source alone.
    case copy
    /// The source where the destination is.
    case sourceIn
    /// The source where the destination is not.
    case sourceOut
    /// The source over the destination, where that is.
    case sourceAtop
    /// The destination over the source.
    case destinationOver
    /// The destination where the source is.
    case destinationIn
    /// The destination where the source is not.
    case destinationOut
    /// The destination over the source, where that is.
    case destinationAtop
    /// Each where the other is not.
    case xor
    /// The sum of the complements, taken from white.
    case plusDarker
    /// The sum.
    case plusLighter

    /// Whether an opaque destination stays opaque under any source.
    var keepsOpaque: Bool {
        switch self {
        case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationOut, .destinationAtop, .xor: false
        default: true
        }
    }
}
