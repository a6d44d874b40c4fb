public import WebImagePixels

/// Lays another picture, such as a watermark, over a picture. The size stays.
public struct CompositingTransformer: ImageTransformer {
    /// The picture to lay over others, pixel for pixel.
    public let overlay: DecodedImage
    /// Where it goes.
    public let anchor: ImageAnchor
    /// Kept free at the sides that the anchor names, in points.
    public let margin: Double
    /// How it is laid over what is there; outside of it nothing changes, whatever the mode.
    public let blendMode: BlendMode
    /// What its alpha is multiplied by; bounded to 0…1.
    public let opacity: Double
    /// `Compositing(<SHA-256 of size and pixels>,bottomRight,8.0,0,0.5,1)`: picture, anchor, margin, blend mode by Core
    /// Graphics' number, opacity, version.
    public let key: String

    /// A transformer that lays a picture over others. Reads its pixels once, for the key.
    public init(
        overlay: DecodedImage, anchor: ImageAnchor = .center, margin: Double = 0, blendMode: BlendMode = .normal,
        opacity: Double = 1
    ) {
        self.overlay = overlay
        self.anchor = anchor
        self.margin = margin
        self.blendMode = blendMode
        self.opacity = opacity
        let parameters = "\(anchor.rawValue),\(margin + 0),\(blendMode.rawValue),\(opacity + 0),1"
        key = "Compositing(\(overlay.pixels.fingerprint),\(parameters))"
    }

    /// The two pictures as one; throws `transformFailed` for a margin or an opacity that is not finite.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        guard margin.isFinite, opacity.isFinite else {
            throw .transformFailed("a picture cannot be laid over another with margin \(margin), opacity \(opacity)")
        }
        let place = anchor.place(
            of: overlay.pixelSize, in: image.pixelSize, margin: margin * image.attributes.scale)
        return image.transformed(
            to: image.pixels.compositing(overlay.pixels, at: place, blendMode: blendMode, opacity: opacity))
    }
}

extension ImageTransformer where Self == CompositingTransformer {
    /// Lays another picture over the middle of a picture.
    public static func compositing(
        _ overlay: DecodedImage, blendMode: BlendMode = .normal, opacity: Double = 1
    ) -> CompositingTransformer {
        CompositingTransformer(overlay: overlay, blendMode: blendMode, opacity: opacity)
    }

    /// Puts a mark on a picture; the margin is in points.
    public static func watermark(
        _ mark: DecodedImage, anchor: ImageAnchor = .bottomRight, margin: Double = 8, opacity: Double = 1
    ) -> CompositingTransformer {
        CompositingTransformer(overlay: mark, anchor: anchor, margin: margin, opacity: opacity)
    }
}

extension PixelBuffer {
    /// A text that two pictures share only when all that is seen of them is the same.
    fileprivate var fingerprint: String {
        var bytes = Array("\(size),\(format),\(alpha),\(colorSpace);".utf8)
        for y in 0..<height {
            let digest = unsafe withUnsafeRow(y) { unsafe Digest.sha256($0) }
            bytes += digest
        }
        return unsafe bytes.withUnsafeBytes { unsafe Digest.sha256.hexadecimal($0) }
    }
}
