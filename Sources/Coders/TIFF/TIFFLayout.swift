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

    let photometric: TIFFPhotometric
    /// 1 to 16.
    let bits: Int
    /// All samples of a pixel in a row: 1 where planes are apart.
    let samplesPerPixel: Int
    let colorCount: Int
    let alpha: Alpha?
    let isPlanar: Bool

    init?(_ header: cwebimage_tiff_header, alpha: Alpha?) {
        guard let photometric = TIFFPhotometric(rawValue: header.photometric), (1...16).contains(header.bits),
            let colorCount = Self.colorCount(photometric, header),
            Int(header.samples) >= colorCount + (alpha == nil ? 0 : 1),
            header.sample_format == 1 || header.sample_format == 4
        else { return nil }
        self.photometric = photometric
        self.colorCount = colorCount
        self.alpha = alpha
        bits = Int(header.bits)
        isPlanar = header.is_planar
        samplesPerPixel = header.is_planar ? 1 : Int(header.samples)
    }

    /// The samples that are looked at.
    var usedCount: Int { colorCount + (alpha == nil ? 0 : 1) }
    /// The planes that have to be read.
    var planeCount: Int { isPlanar ? usedCount : 1 }

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
