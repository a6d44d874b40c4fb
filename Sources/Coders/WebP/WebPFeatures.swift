import CWebImageWebP
import WebImageColor
import WebImageCore
import WebImagePixels

/// What the header of a file says of its picture.
struct WebPFeatures: Sendable {
    let size: PixelSize
    let hasAlpha: Bool
    let isAnimated: Bool
    let compression: Compression

    /// How the pixels are stored.
    enum Compression: Sendable {
        case lossy
        case lossless
        /// The bytes end before the pixels, or there are frames of both kinds.
        case unknown
    }

    /// - Throws: `badImageData` for a header that cannot be read or is not whole.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var status = VP8_STATUS_OK
        guard let features = unsafe WebPFeatures(bytes, &status) else {
            throw WebPFault.reading(status, "in its header")
        }
        self = features
    }

    /// `nil` where the header is wrong, or is to come; the status says which.
    init?(_ bytes: UnsafeRawBufferPointer, _ status: inout VP8StatusCode) {
        var features = WebPBitstreamFeatures()
        status = unsafe WebPGetFeatures(bytes.webPStart, bytes.count, &features)
        guard status == VP8_STATUS_OK else { return nil }
        size = PixelSize(Int(features.width), Int(features.height))
        hasAlpha = features.has_alpha != 0
        isAnimated = features.has_animation != 0
        compression = features.format == 1 ? .lossy : features.format == 2 ? .lossless : .unknown
    }

    func probe(_ chunks: WebPChunks, _ metadata: ImageMetadata) -> ImageProbe {
        let hasHoles = isAnimated && chunks.frames.placements.leaveHoles(in: size)
        return ImageProbe(
            format: .webP, size: chunks.orientation.upright(size), orientation: chunks.orientation,
            hasAlpha: hasAlpha || hasHoles, frameCount: max(1, isAnimated ? chunks.frames.count : 1),
            loopCount: isAnimated ? chunks.loopCount : nil, durations: isAnimated ? chunks.frames.durations : [],
            profileName: metadata.colorProfile.flatMap(ICCProfileName.name))
    }
}

extension ImageMetadata {
    /// What the samples of a picture mean that carries this.
    var sourceColor: SourceColor {
        SourceColor(.rgb, colorProfile.map { .profile($0) } ?? .standard)
    }
}

extension UnsafeRawBufferPointer {
    /// The first byte, in libwebp's type.
    var webPStart: UnsafePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
