public import WebImagePixels

/// Fills a size exactly with the part of the picture that matters, instead of its middle as aspect fill does.
public struct SmartCropTransformer: ImageTransformer, Hashable {
    /// In points: pixels divided by the picture's scale.
    public let size: ImageSize
    /// How the part that matters is told.
    public let interest: CropInterest

    /// A transformer to a size in points.
    public init(size: ImageSize, interest: CropInterest = .attention) {
        self.size = size
        self.interest = interest
    }

    /// `SmartCrop({100.0,50.0},attention,1)`.
    public var key: String { "SmartCrop({\(number(size.width)),\(number(size.height))},\(interest.rawValue),1)" }

    /// The part at the size; throws `transformFailed` for a size of no pixels or of too many.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let target = try size.pixelSize(scale: image.attributes.scale, "a picture cannot be cropped")
        let part = image.pixels.interestingPart(shape: target, interest)
        return try result(
            part.flatMap { image.pixels.resized(to: target, part: $0) }, of: image,
            orElse: "it cannot be cropped to \(target)")
    }
}

extension ImageTransformer where Self == SmartCropTransformer {
    /// Fills a size exactly with the part of the picture that matters.
    public static func smartCrop(to size: ImageSize, interest: CropInterest = .attention) -> SmartCropTransformer {
        SmartCropTransformer(size: size, interest: interest)
    }
}
