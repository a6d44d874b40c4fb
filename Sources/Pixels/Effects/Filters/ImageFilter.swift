/// A change of a picture's look; the size stays. Colours are straight sRGB values as they are stored, 0…1.
public enum ImageFilter: Sendable, Hashable {
    /// Brightness is added (0 changes nothing, −1 is black, 1 white), contrast is a factor about the middle (1 changes
    /// nothing), saturation a distance from grey (1 changes nothing, 0 is grey).
    case colorControls(brightness: Double = 0, contrast: Double = 1, saturation: Double = 1)
    /// Grey of the same brightness (ITU-R BT.709).
    case grayscale
    /// Brown as an old photograph; 0 changes nothing, 1 is all of it.
    case sepia(intensity: Double = 1)
    /// Each colour's complement; alpha stays.
    case invert
    /// The hue turned by an angle in radians.
    case hue(radians: Double)
    /// Each colour to a power above 0; 1 changes nothing, less is lighter.
    case gamma(power: Double)
    /// Any linear change.
    case colorMatrix(ColorMatrix)
    /// Unsharp mask: the difference to a picture blurred by `radius` (in pixels; see `PixelBuffer.blurred(radius:)`),
    /// times `amount`, is added. Alpha stays.
    case sharpen(radius: Double = 1, amount: Double = 1)
    /// Blocks of so many pixels, from the top left, each of its mean colour. 1 and less changes nothing.
    case pixellate(size: Double)
    /// Darker towards the corners: from `radius` (0 the middle, 1 the corners) outwards, by at most `intensity`, 0…1.
    case vignette(radius: Double = 0.5, intensity: Double = 1)
}

extension ImageFilter {
    /// The numbers that belong to the filter, in the order of its declaration.
    public var parameters: [Double] {
        switch self {
        case .colorControls(let brightness, let contrast, let saturation): [brightness, contrast, saturation]
        case .grayscale, .invert: []
        case .sepia(let intensity): [intensity]
        case .hue(let radians): [radians]
        case .gamma(let power): [power]
        case .colorMatrix(let matrix): matrix.numbers
        case .sharpen(let radius, let amount): [radius, amount]
        case .pixellate(let size): [size]
        case .vignette(let radius, let intensity): [radius, intensity]
        }
    }

    /// The name of the filter as it is declared.
    public var name: String {
        switch self {
        case .colorControls: "colorControls"
        case .grayscale: "grayscale"
        case .sepia: "sepia"
        case .invert: "invert"
        case .hue: "hue"
        case .gamma: "gamma"
        case .colorMatrix: "colorMatrix"
        case .sharpen: "sharpen"
        case .pixellate: "pixellate"
        case .vignette: "vignette"
        }
    }

    /// The same filter of a picture with so many pixels a point: its lengths become pixels.
    public func scaled(by scale: Double) -> ImageFilter {
        switch self {
        case .sharpen(let radius, let amount): .sharpen(radius: radius * scale, amount: amount)
        case .pixellate(let size): .pixellate(size: size * scale)
        default: self
        }
    }

    /// The matrix of the filters that are one.
    var matrix: ColorMatrix? {
        switch self {
        case .colorControls(let brightness, let contrast, let saturation):
            .colorControls(brightness: brightness, contrast: contrast, saturation: saturation)
        case .grayscale: .colorControls(brightness: 0, contrast: 1, saturation: 0)
        case .sepia(let intensity): .sepia(intensity: intensity)
        case .invert: .inversion
        case .hue(let radians): .hueRotation(radians)
        case .colorMatrix(let matrix): matrix
        case .gamma, .sharpen, .pixellate, .vignette: nil
        }
    }
}
