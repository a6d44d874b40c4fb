import CWebImageTIFF

/// The values of tag 262 that this module knows.
enum TIFFPhotometric: UInt16 {
    case minIsWhite = 0
    case minIsBlack = 1
    case rgb = 2
    case palette = 3
    case separated = 5
    case yCbCr = 6
}

/// How the samples of a picture lie, for pictures whose rows are read sample by sample.
struct TIFFLayout {
    /// What a sample behind the colour says.
    enum Alpha {
        /// How much of the pixel is covered; colour is multiplied by it.
        case associated
        /// How much of the pixel is covered.
        case unassociated
    }

    /// What the bits of a sample say.
    enum Encoding {
        /// From none to the most that the bits can say.
        case integer
        /// 0 is none and 1 the most; what lies outside counts as the nearer of them, and what is no number as 0.
        case float
    }

    let photometric: TIFFPhotometric
    let encoding: Encoding
    /// Of a sample in the file: 1 to 16 or 32, of a float 16, 32 or 64.
    let storedBits: Int
    /// All samples of a pixel in a row: 1 where planes are apart.
    let samplesPerPixel: Int
    let colorCount: Int
    let alpha: Alpha?
    let isPlanar: Bool

    init?(_ header: cwebimage_tiff_header, alpha: Alpha?) {
        guard let photometric = TIFFPhotometric(rawValue: header.photometric), let encoding = Self.encoding(header),
            let colorCount = Self.colorCount(photometric, header),
            Int(header.samples) >= colorCount + (alpha == nil ? 0 : 1)
        else { return nil }
        self.photometric = photometric
        self.encoding = encoding
        self.colorCount = colorCount
        self.alpha = alpha
        storedBits = Int(header.bits)
        isPlanar = header.is_planar
        samplesPerPixel = header.is_planar ? 1 : Int(header.samples)
    }

    /// Of a sample that is read, 1 to 16: what is stored in more is rounded to 16.
    var bits: Int { encoding == .float ? 16 : min(16, storedBits) }
    /// The samples that are looked at.
    var usedCount: Int { colorCount + (alpha == nil ? 0 : 1) }
    /// The planes that have to be read.
    var planeCount: Int { isPlanar ? usedCount : 1 }

    /// `nil` for samples with a sign, of complex numbers, or of a length that is not read.
    private static func encoding(_ header: cwebimage_tiff_header) -> Encoding? {
        switch header.sample_format {
        case 1, 4: header.bits == 32 || (1...16).contains(header.bits) ? .integer : nil
        case 3: [16, 32, 64].contains(header.bits) ? .float : nil
        default: nil
        }
    }

    private static func colorCount(_ photometric: TIFFPhotometric, _ header: cwebimage_tiff_header) -> Int? {
        switch photometric {
        case .minIsWhite, .minIsBlack: 1
        case .palette: header.bits <= 8 ? 1 : nil
        case .rgb: 3
        case .separated: header.ink_set == 1 ? 4 : nil
        case .yCbCr: nil
        }
    }
}
