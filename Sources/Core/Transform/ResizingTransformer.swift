public import WebImagePixels

/// Makes a picture of exactly the given size, smaller or larger.
public struct ResizingTransformer: ImageTransformer, Hashable {
    /// How a picture of other proportions gets into the size.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Stretched to the size.
        case fill
        /// Whole, in the middle of the size; the rest is transparent.
        case aspectFit
        /// Covering the size; what reaches out is cut off on both sides alike.
        case aspectFill
    }

    /// In points: pixels divided by the picture's scale.
    public let size: ImageSize
    /// What happens to a picture of other proportions.
    public let mode: Mode
    /// How pixels are weighed, and in which light.
    public let resampling: Resampling

    /// A transformer to a size in points.
    public init(size: ImageSize, mode: Mode = .fill, resampling: Resampling = .lanczos3) {
        self.size = size
        self.mode = mode
        self.resampling = resampling
    }

    /// `Resizing({200.0,100.0},aspectFit,1)`; weighed otherwise than by default `Resizing({200.0,100.0},fill,box,1)` or
    /// `Resizing({200.0,100.0},fill,lanczos3,linear,1)`.
    public var key: String {
        let light = resampling.light == .encoded ? "" : ",\(resampling.light.rawValue)"
        let weighing = resampling == .lanczos3 ? "" : ",\(resampling.filter.rawValue)\(light)"
        return "Resizing({\(number(size.width)),\(number(size.height))},\(mode.rawValue)\(weighing),1)"
    }

    /// The picture at the size; throws `transformFailed` for a size of no pixels or of too many.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let target = try size.pixelSize(scale: image.attributes.scale, "a picture cannot be resized")
        let pixels: PixelBuffer? =
            switch mode {
            case .fill: image.pixels.resized(to: target, resampling: resampling)
            case .aspectFit: fitted(image.pixels, in: target)
            case .aspectFill:
                image.pixels.resized(
                    to: target, part: image.pixelSize.centredCrop(filling: target), resampling: resampling)
            }
        guard let pixels else {
            throw ImageError(.transformFailed, .transform, "\(image.pixelSize) cannot be resized to \(target)")
        }
        return image.transformed(to: pixels)
    }

    private func fitted(_ source: PixelBuffer, in canvas: PixelSize) -> PixelBuffer? {
        let inner = source.size.fitted(in: ImageSize(canvas), enlarging: .allowed)
        let resized = source.resized(to: inner, resampling: resampling)
        return inner == canvas ? resized : resized?.centred(in: canvas)
    }
}

extension ImageTransformer where Self == ResizingTransformer {
    /// Makes a picture of exactly the given size.
    public static func resizing(
        to size: ImageSize, mode: ResizingTransformer.Mode = .fill, resampling: Resampling = .lanczos3
    ) -> ResizingTransformer {
        ResizingTransformer(size: size, mode: mode, resampling: resampling)
    }
}
