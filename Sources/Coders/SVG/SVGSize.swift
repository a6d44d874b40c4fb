import WebImageCore
import WebImagePixels

/// The size that a document gives itself, in pixels of 1/96 inch.
struct SVGSize {
    let width: Double
    let height: Double

    /// - Parameters:
    ///   - width: `nil` for one that is missing or relative.
    ///   - height: Likewise.
    ///   - viewBox: Its size; `nil` where it is missing or has no area.
    init(width: Double?, height: Double?, viewBox: (width: Double, height: Double)?) {
        let ratio = viewBox.map { $0.width / $0.height }
        switch (width, height) {
        case (let width?, let height?): (self.width, self.height) = (width, height)
        case (let width?, nil): (self.width, self.height) = (width, ratio.map { width / $0 } ?? Self.usual.height)
        case (nil, let height?): (self.width, self.height) = (ratio.map { height * $0 } ?? Self.usual.width, height)
        case (nil, nil): (self.width, self.height) = viewBox ?? Self.usual
        }
    }

    /// Whole pixels; 0 where a side is not positive.
    var pixels: PixelSize { PixelSize(Self.whole(width), Self.whole(height)) }

    /// The size to draw the wanted part at, which may be larger than its own.
    func target(_ options: DecodeOptions, of region: PixelRect) -> PixelSize {
        guard options.scaleDownByteLimit == nil, let box = options.thumbnailPixelSize else {
            return options.targetSize(for: pixels)
        }
        return region.size.fitted(in: box, preservesAspectRatio: options.preservesAspectRatio, enlarging: .allowed)
    }

    /// The part to draw, in pixels of the picture's own size.
    func region(_ options: DecodeOptions) throws(ImageError) -> PixelRect {
        // A picture without pixels is found to be so later, by its target.
        guard !pixels.isEmpty else { return PixelRect(pixels) }
        return try options.region(of: pixels)
    }

    /// What browsers give a picture that says nothing (CSS 2.2, 10.3.2).
    private static let usual = (width: 300.0, height: 150.0)

    private static func whole(_ side: Double) -> Int {
        guard side > 0 else { return 0 }
        // A hair over a whole number is an error of arithmetic, not a pixel.
        return Int(min((side - 1e-6).rounded(.up), Double(Int32.max)))
    }
}
