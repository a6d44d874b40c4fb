import WebImageFoundation

/// What of a file's metadata goes into a file that is made of it.
public enum MetadataPolicy: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case strip
    /// The colour profile, without which the colours would be wrong. The default.
    case colorProfileOnly
    /// Everything but where the picture was taken: no GPS, no names of places.
    case allWithoutLocation
    /// Everything.
    case all
}

extension ImageMetadata {
    /// What of this is to be written beside pixels that were decoded from the same file.
    ///
    ///     var options = EncodeOptions()
    ///     options.metadata = metadata.filtered(
    ///         by: .allWithoutLocation, colorConversion: decodeOptions.colorConversion)
    ///
    /// Decoded pixels stand upright, so the orientation is reset to 1. They are not the old file's any more, so the
    /// small picture inside EXIF, which would show what was cut off, is taken out. Maker notes are kept byte for byte
    /// and may hold anything. EXIF that is no TIFF structure is left out, and so are XMP and IPTC that cannot be read
    /// when a location is to be taken out of them.
    ///
    /// - Parameters:
    ///   - policy: What is wanted.
    ///   - colorConversion: How the pixels were decoded. With `.sRGB`, the default of decoding, they are sRGB now and
    ///     the file's profile would make them wrong: it is left out, whatever the policy. It is kept with `.none` only.
    public func filtered(
        by policy: MetadataPolicy = .colorProfileOnly, colorConversion: DecodeOptions.ColorConversion = .sRGB
    ) -> ImageMetadata {
        var kept = ImageMetadata()
        guard policy != .strip else { return kept }
        if colorConversion == .none { kept.colorProfile = colorProfile }
        guard policy != .colorProfileOnly else { return kept }
        let isLocationKept = policy == .all
        kept.exif = exif.flatMap { Self.exif($0, isLocationKept: isLocationKept, colorConversion) }
        kept.xmp = xmp.flatMap { packet in
            XMPEditor.packet(packet, without: isLocationKept ? .outdated : [.outdated, .location])
                ?? (isLocationKept ? packet : nil)
        }
        kept.iptc = isLocationKept ? iptc : iptc.flatMap(IPTCRecords.init)?.blockWithoutLocation()
        if kept.iptc?.isEmpty == true { kept.iptc = nil }
        return kept
    }

    private static func exif(
        _ block: Data, isLocationKept: Bool, _ colorConversion: DecodeOptions.ColorConversion
    ) -> Data? {
        guard var editor = EXIFEditor(block) else { return nil }
        editor.removeThumbnail()
        if !isLocationKept { editor.removeLocation() }
        editor.resetOrientation()
        if colorConversion == .sRGB { editor.resetColorSpace() }
        return editor.data
    }
}

extension ImageMetadata {
    /// The EXIF block as values; `nil` when there is none that can be read.
    public var exifTags: EXIFTags? { exif.flatMap(EXIFTags.init) }
    /// The XMP packet as values; `nil` when there is none that can be read.
    public var xmpProperties: XMPProperties? { xmp.flatMap(XMPProperties.init) }
    /// The IPTC block as values; `nil` when there is none that can be read.
    public var iptcRecords: IPTCRecords? { iptc.flatMap(IPTCRecords.init) }
    /// What the colour profile says of itself; `nil` when there is none that can be read.
    public var colorProfileInfo: ColorProfileInfo? { colorProfile.flatMap(ColorProfileInfo.init) }
}
