public import WebImageCore
public import WebImagePixels

extension DrawingContext {
    /// Draws a picture so that it fills a rectangle, whatever its proportions. A rectangle without area gets
    /// nothing.
    ///
    /// A picture in linear light or half floats is drawn as 8-bit sRGB. A side of more than 32,767 pixels, after
    /// `.high` has resampled it, is an error, `transformFailed`; and what decoding a lazy picture throws is the
    /// drawing's error. cairo counts in 65,536ths of the picture's pixels, so that places are not exact in one enlarged
    /// more than a thousand times.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - rect: In points.
    ///   - opacity: Multiplied with the context's; bounded to 0…1.
    ///   - interpolation: How pixels are found where it is not drawn pixel for pixel.
    public func draw(
        _ image: DecodedImage, in rect: ImageRect, opacity: Double = 1, interpolation: ImageInterpolation = .high
    ) {
        guard canvas.isSound, !(rect.width <= 0), !(rect.height <= 0) else { return }
        guard !opacity.isNaN else { return canvas.fail("a picture cannot be drawn with an opacity that is no number") }
        let matrix = canvas.matrix
        guard canvas.hold(rect, matrix), matrix.bound(min(rect.width, rect.height)) > 1e-6 else { return }
        do throws(ImageError) {
            let pixels = try image.decoded().pixels
            canvas.draw(pixels, in: rect, opacity: min(max(0, opacity), 1) * canvas.opacity, interpolation)
        } catch {
            canvas.fail(error)
        }
    }
}
