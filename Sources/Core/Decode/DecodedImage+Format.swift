import WebImagePixels

extension DecodedImage {
    /// The format to write this picture in when nobody says: its own where the coder writes it and nothing visible is
    /// lost, else PNG with alpha and JPEG without.
    ///
    /// A JPEG cannot hold alpha, and a GIF only 256 colours, which a picture made smaller does not keep to. Alpha that
    /// is full everywhere needs no place: for that all pixels may be looked at.
    public func preferredFormat(for coder: any ImageCoder) -> ImageFormat {
        let needsAlpha = !pixels.isOpaque
        guard let format = attributes.format, format != .gif, !(needsAlpha && format == .jpeg),
            coder.canEncode(to: format)
        else { return needsAlpha ? .png : .jpeg }
        return format
    }
}
