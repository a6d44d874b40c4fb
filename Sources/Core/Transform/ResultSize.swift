import WebImagePixels

extension ImageSize {
    /// A size in points as whole pixels, for a result that `purpose` speaks of: "a picture cannot be resized".
    ///
    /// Bounded as decoding is by default (`DecodeLimits`): a size that comes with a request must not take the
    /// machine's memory.
    func pixelSize(scale: Double, _ purpose: String) throws(ImageError) -> PixelSize {
        let limits = DecodeLimits()
        let width = (width * scale).rounded()
        let height = (height * scale).rounded()
        guard width >= 1, height >= 1, width * height <= Double(limits.maxPixelCount),
            max(width, height) <= Double(limits.maxDimension)
        else {
            throw .transformFailed(
                "\(purpose) to \(self.width)×\(self.height) at scale \(scale); each side must be 1 to "
                    + "\(limits.maxDimension) pixels and both together at most \(limits.maxPixelCount)")
        }
        return PixelSize(Int(width), Int(height))
    }
}

extension ImageError {
    /// A transformer could make no picture, for the reason given.
    static func transformFailed(_ message: String) -> ImageError {
        ImageError(.transformFailed, .transform, message)
    }
}

extension ImageTransformer {
    /// The picture made of new pixels, or the error that there are none.
    func result(
        _ pixels: PixelBuffer?, of image: DecodedImage, orElse message: @autoclosure () -> String
    ) throws(ImageError) -> DecodedImage {
        guard let pixels else { throw .transformFailed("\(message()); the picture is \(image.pixelSize)") }
        return image.transformed(to: pixels)
    }

    /// A number as it stands in a key: the shortest text that reads back as the same number; −0 is 0.
    func number(_ value: Double) -> String { "\(value + 0)" }
}
