public import WebImagePixels

/// How text looks.
public struct TextStyle: Hashable, Sendable {
    /// The name of a font family, such as `DejaVu Sans`, or of several with commas between, the best first. `Sans`,
    /// `Serif` and `Monospace` are always there. In place of one that does not exist, and for letters that it lacks,
    /// the system's fontconfig chooses another.
    public var family: String
    /// The size of the font in points; a line of text is a little higher. More than 0.
    public var size: Double
    /// How bold.
    public var weight: FontWeight
    /// Upright or slanted.
    public var slant: FontSlant
    /// May be translucent.
    public var color: PixelColor
    /// Where shorter lines stand.
    public var alignment: TextAlignment
    /// What becomes of text that its rectangle has no room for.
    public var truncation: TextTruncation
    /// The distance of two lines as a multiple of the usual one; more than 0. Default 1.
    public var lineHeightMultiple: Double

    /// A style; what is not named is upright black text that ends in an ellipsis where the room ends.
    public init(
        family: String = "Sans", size: Double = 16, weight: FontWeight = .regular, color: PixelColor = .black,
        alignment: TextAlignment = .leading
    ) {
        self.family = family
        self.size = size
        self.weight = weight
        self.color = color
        self.alignment = alignment
        slant = .upright
        truncation = .tail
        lineHeightMultiple = 1
    }
}

/// How bold letters are; the numbers are those of OpenType and CSS. Of a family without the weight fontconfig takes the
/// nearest that it has.
public enum FontWeight: Int, Sendable, Hashable, CaseIterable {
    /// 100, hairline.
    case thin = 100
    /// 200, extra light.
    case ultraLight = 200
    /// 300.
    case light = 300
    /// 400, what fonts have when nothing is said; CSS calls it normal.
    case regular = 400
    /// 500, a little bolder than regular.
    case medium = 500
    /// 600, demi-bold.
    case semibold = 600
    /// 700.
    case bold = 700
    /// 800, extra or ultra bold.
    case heavy = 800
    /// 900, the boldest.
    case black = 900
}

/// Whether letters lean.
public enum FontSlant: String, Sendable, Hashable {
    /// They do not.
    case upright
    /// They lean, in forms of their own.
    case italic
}

/// Where the lines of a text stand that are shorter than the others, or than their rectangle.
public enum TextAlignment: String, Sendable, Hashable {
    /// Where reading begins: left for Latin, right for Arabic.
    case leading
    /// In the middle.
    case center
    /// Where reading ends.
    case trailing
}

/// Where text is cut that its rectangle has no room for; `…` stands for what is left out. At least one line is drawn.
public enum TextTruncation: String, Sendable, Hashable {
    /// Nowhere: it runs out of the rectangle at the bottom.
    case none
    /// At the beginning of the last line.
    case head
    /// In the middle of the last line.
    case middle
    /// At the end of the last line.
    case tail
}
