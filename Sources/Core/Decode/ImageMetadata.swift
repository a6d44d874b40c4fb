public import WebImageFoundation

/// What a file says beside its pixels, as raw blocks in the form that files hold them.
public struct ImageMetadata: Sendable, Hashable {
    /// TIFF-framed EXIF: begins with `II*` or `MM`, without the `Exif` prefix of JPEG.
    public var exif: Data?
    /// An XMP packet: XML in UTF-8.
    public var xmp: Data?
    /// IPTC-IIM records, without Photoshop's framing.
    public var iptc: Data?
    /// An ICC profile.
    public var colorProfile: Data?

    /// Nothing.
    public init() {}

    /// Whether there is nothing.
    public var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && colorProfile == nil }
}

/// A coder that reads what a file says beside its pixels.
public protocol MetadataImageCoder: ImageCoder {
    /// The blocks of a file, without decoding it. Blocks over `limits.maxMetadataByteCount` together are left out.
    ///
    /// - Throws: `badImageData` for a container that cannot be read.
    func metadata(of data: Data, limits: DecodeLimits) throws(ImageError) -> ImageMetadata
}
