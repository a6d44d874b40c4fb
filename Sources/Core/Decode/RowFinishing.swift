import WebImageColor
import WebImagePixels

/// What happens to a row between the file and the picture: colour, then alpha.
struct RowFinishing: Sendable {
    private let hasAlpha: Bool
    /// As asked for; a picture without alpha is opaque all the same.
    let alpha: AlphaMode
    private var wantsStraight: Bool { alpha == .straight }
    private let transform: ColorTransform?
    /// How a resampler weighs pixels.
    let resampling: Resampling

    init(hasAlpha: Bool, color: SourceColor, options: DecodeOptions) {
        self.hasAlpha = hasAlpha
        alpha = options.alpha == .straight ? .straight : .premultiplied
        resampling = options.resampling
        let used = options.colorConversion == .none ? SourceColor(color.channels) : color
        transform = ColorTransform.shared(for: used)
    }

    /// Whether there is anything to do to pixels that are not resampled.
    var isNeeded: Bool { transform != nil || (hasAlpha && !wantsStraight) }

    /// Whether a resampler takes the file's samples as they are.
    var leavesResampledRows: Bool { transform == nil }

    /// Finishes whole pixels in place: RGBA with straight alpha, or CMYK.
    func apply(to row: UnsafeMutableRawBufferPointer, isResampled: Bool) {
        unsafe transform?.apply(row)
        // A resampler multiplies by itself.
        if hasAlpha, !isResampled, !wantsStraight { unsafe premultiply(row) }
    }

    /// What a sink is given.
    func sinkLayout(isResampled: Bool) -> PixelBuffer.Layout {
        guard hasAlpha else { return PixelBuffer.Layout(alpha: .opaque) }
        return PixelBuffer.Layout(alpha: isResampled || wantsStraight ? .straight : .premultiplied)
    }

    /// The picture that a sink gave, with the alpha that was asked for.
    func finished(_ pixels: PixelBuffer) -> PixelBuffer {
        wantsStraight && hasAlpha ? pixels.withAlpha(.straight) : pixels
    }
}
