import CWebImageJPEG
import WebImageCore
import WebImagePixels

/// What libjpeg may take for a picture, how much smaller it is to make it, and which columns.
enum JPEGScale {
    static func settings(
        of decoding: RowDecoding, _ denominator: Int, _ limits: DecodeLimits
    ) -> cwebimage_jpeg_settings {
        let (budget, overflow) = limits.maxPixelCount.multipliedReportingOverflow(by: coefficientBytesPerPixel)
        let columns = columns(of: decoding, denominator)
        return cwebimage_jpeg_settings(
            max_memory: overflow ? .max : max(1, budget), max_scans: maxScans(of: decoding.storedSize),
            scale_denominator: Int32(denominator), first_column: Int32(columns.lowerBound),
            column_count: Int32(columns.count),
            // In a small picture nobody sees blocks, and in one made smaller blending takes from what it could show.
            smooths_blocks: denominator == 1 && decoding.storedSize.pixelCount ?? 0 >= 1 << 18)
    }

    /// Up to four components of two bytes each, the most that a progressive file needs.
    private static let coefficientBytesPerPixel = 8

    /// Each scan of a progressive file walks over the whole picture, however few bytes it has, so a small file could
    /// ask for hours of work. Real ones have about ten scans.
    private static func maxScans(of size: PixelSize) -> Int32 {
        let affordable = (1 << 33) / max(1, size.pixelCount ?? .max)
        return Int32(min(500, max(50, affordable)))
    }

    /// How much smaller the cosine transform may make the picture and leave the resampler twice what it needs of every
    /// component, or all that there is. Other fractions than these have no vector code in the library and are slower
    /// than more pixels.
    ///
    /// - Parameter step: How many pixels one sample of the coarsest component covers.
    static func denominator(of decoding: RowDecoding, _ step: (columns: Int, rows: Int)) -> Int {
        let (source, target) = (decoding.storedRegion.size, decoding.targetSize)
        guard source != target, decoding.resampling.mayFollowReducing else { return 1 }
        let denominators = [8, 4, 2].filter { denominator in
            // The library makes colour less small than the rest, but never in one direction alone.
            let gain = min(greatestPowerOfTwo(in: step.columns), greatestPowerOfTwo(in: step.rows), denominator)
            return isEnough(source.width, denominator, step.columns, gain, for: target.width)
                && isEnough(source.height, denominator, step.rows, gain, for: target.height)
        }
        return denominators.first ?? 1
    }

    private static func isEnough(
        _ source: Int, _ denominator: Int, _ step: Int, _ gain: Int, for target: Int
    ) -> Bool {
        guard (source + denominator - 1) / denominator >= 2 * target else { return false }
        let shrinking = max(step, denominator * step / gain)
        return shrinking == step || (source + shrinking - 1) / shrinking >= 2 * target
    }

    private static func greatestPowerOfTwo(in step: Int) -> Int {
        1 << max(1, step).trailingZeroBitCount
    }

    /// The columns to make, of the smaller picture: more than are wanted, since colour that is stored at half the width
    /// is spread with a look at its neighbours.
    private static func columns(of decoding: RowDecoding, _ denominator: Int) -> Range<Int> {
        let region = decoding.storedRegion
        let width = (decoding.storedSize.width + denominator - 1) / denominator
        let end = (region.x + region.width + denominator - 1) / denominator
        return max(0, region.x / denominator - neighbourCount)..<min(width, end + neighbourCount)
    }

    private static let neighbourCount = 8
}
