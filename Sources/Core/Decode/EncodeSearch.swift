package import WebImageFoundation
package import WebImagePixels

/// Looks for the best file within `EncodeOptions.maxPixelSize` and `maxByteCount`: as asked for, then with less
/// quality, then smaller.
package struct EncodeSearch: Sendable {
    /// What to try.
    package struct Attempt: Sendable {
        /// 0…1.
        package var quality: Double
        package var size: PixelSize
    }

    private let options: EncodeOptions
    private let first: Attempt
    private let format: ImageFormat

    /// The lowest quality that is tried before the picture is made smaller.
    private static let lowestQuality = 0.1

    /// - Parameter size: Of the picture to encode.
    package init(_ size: PixelSize, to format: ImageFormat, options: EncodeOptions) {
        self.options = options
        self.format = format
        let target = options.maxPixelSize.map { size.fitted(in: $0) } ?? size
        // What is no number counts as the best.
        let quality = options.quality.isNaN ? 1 : min(max(0, options.quality), 1)
        first = Attempt(quality: quality, size: target)
    }

    /// The file of the best attempt that fits.
    ///
    /// - Parameters:
    ///   - hasQuality: Whether less quality makes a smaller file.
    ///   - monitor: Asked before each attempt.
    ///   - encode: Makes the file of an attempt.
    /// - Throws: What `encode` throws; `cancelled`; `encodingFailed` when not even a single pixel fits.
    package func data(
        hasQuality: Bool, _ monitor: DecodeMonitor = DecodeMonitor(),
        _ encode: (Attempt) throws(ImageError) -> Data
    ) throws(ImageError) -> Data {
        try best(hasQuality: hasQuality) { attempt throws(ImageError) in
            try monitor.forEncoding.check()
            return try encode(attempt)
        }
    }

    private func best(
        hasQuality: Bool, _ encode: (Attempt) throws(ImageError) -> Data
    ) throws(ImageError) -> Data {
        let data = try encode(first)
        guard let limit = options.maxByteCount, data.count > limit else { return data }
        var attempt = first
        var count = data.count
        if hasQuality, first.quality > Self.lowestQuality {
            attempt.quality = Self.lowestQuality
            let lowest = try encode(attempt)
            if lowest.count <= limit { return try better(than: lowest, limit, encode) }
            count = lowest.count
        }
        while let smaller = smaller(attempt.size, by: Double(limit) / Double(count)) {
            attempt.size = smaller
            let data = try encode(attempt)
            if data.count <= limit { return data }
            count = data.count
        }
        throw ImageError(
            .encodingFailed, .store,
            "not even one pixel as \(format) fits in \(limit) bytes; raise EncodeOptions.maxByteCount")
    }

    /// Between the lowest quality, which fits, and the one asked for, which does not.
    private func better(
        than lowest: Data, _ limit: Int, _ encode: (Attempt) throws(ImageError) -> Data
    ) throws(ImageError) -> Data {
        var best = lowest
        var range = (fits: Self.lowestQuality, fails: first.quality)
        for _ in 0..<6 {
            let quality = (range.fits + range.fails) / 2
            let data = try encode(Attempt(quality: quality, size: first.size))
            if data.count <= limit {
                (best, range.fits) = (data, quality)
            } else {
                range.fails = quality
            }
        }
        return best
    }

    /// `nil` for a single pixel.
    private func smaller(_ size: PixelSize, by ratio: Double) -> PixelSize? {
        guard size.width > 1 || size.height > 1 else { return nil }
        // A little less than in proportion, since a header does not shrink.
        let factor = min(0.9, (max(0, ratio) * 0.9).squareRoot())
        return PixelSize(
            max(1, Int(Double(size.width) * factor)), max(1, Int(Double(size.height) * factor)))
    }
}
