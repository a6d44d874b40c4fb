import CWebImageJPEG
import WebImageCore
import WebImagePixels

/// What libjpeg may take for a picture, and how much smaller it is to make it.
enum JPEGScale {
    static func settings(
        from source: PixelSize, showing part: PixelSize, to target: PixelSize, _ limits: DecodeLimits
    ) -> cwebimage_jpeg_settings {
        let (budget, overflow) = limits.maxPixelCount.multipliedReportingOverflow(by: coefficientBytesPerPixel)
        return cwebimage_jpeg_settings(
            max_memory: overflow ? .max : max(1, budget), max_scans: maxScans(of: source),
            scale_denominator: denominator(from: part, to: target))
    }

    /// Up to four components of two bytes each, the most that a progressive file needs.
    private static let coefficientBytesPerPixel = 8

    /// Each scan of a progressive file walks over the whole picture, however few bytes it has, so a small file could
    /// ask for hours of work. Real ones have about ten scans.
    private static func maxScans(of size: PixelSize) -> Int32 {
        let affordable = (1 << 33) / max(1, size.pixelCount ?? .max)
        return Int32(min(500, max(50, affordable)))
    }

    /// How much smaller the cosine transform may make the picture and leave the resampler twice what it needs.
    private static func denominator(from source: PixelSize, to target: PixelSize) -> Int32 {
        guard source != target else { return 1 }
        let denominators = [8, 4, 2].filter { denominator in
            (source.width + denominator - 1) / denominator >= 2 * target.width
                && (source.height + denominator - 1) / denominator >= 2 * target.height
        }
        return Int32(denominators.first ?? 1)
    }
}
