import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

extension GIFStructure {
    /// How often the animation is played; 0 is for ever.
    ///
    /// Without a loop extension it is played once, and with the number n it is repeated n times: played n + 1 times,
    /// as browsers do it.
    var playCount: Int {
        guard let loopCount else { return 1 }
        return loopCount == 0 ? 0 : loopCount + 1
    }

    /// Throws `badImageData` when there is no frame.
    func checkFrames() throws(ImageError) {
        guard !frames.isEmpty else {
            throw ImageError(.badImageData, .decode, "the gif has no picture in it, or ends before the first")
        }
    }

    /// What the blocks tell. A loop count is as stored.
    func probe(_ data: Data) -> ImageProbe {
        let isAnimated = frames.count > 1
        return ImageProbe(
            format: .gif, size: canvas, hasAlpha: hasAlpha, frameCount: frames.count, loopCount: loopCount,
            durations: isAnimated ? frames.map(\.duration) : [],
            profileName: profile(in: data, atMost: DecodeLimits().maxMetadataByteCount)
                .flatMap(ICCProfileName.name))
    }

    /// What turns the file's colours into those wanted.
    func transform(in data: Data, options: DecodeOptions) -> ColorTransform? {
        guard options.colorConversion == .sRGB,
            let profile = profile(in: data, atMost: options.limits.maxMetadataByteCount)
        else { return nil }
        return ColorTransform(SourceColor(.rgb, .profile(profile)))
    }

    /// The blocks beside the pictures.
    func metadata(in data: Data, limits: DecodeLimits) -> ImageMetadata {
        ImageMetadata(
            colorProfile: profile(in: data, atMost: limits.maxMetadataByteCount), exif: nil, xmp: xmpPacket(in: data),
            limits: limits)
    }

    private func profile(in data: Data, atMost limit: Int) -> Data? {
        profileOffset.flatMap { Self.joinedBlocks(of: data, from: $0, atMost: limit) }
    }

    /// A packet is written as it is; the trailer behind it leads a reader of blocks to the end from wherever in the
    /// packet it comes (XMP specification, part 3, 1.1.2).
    private func xmpPacket(in data: Data) -> Data? {
        guard let xmp, xmp.upperBound <= data.count else { return nil }
        let trailerCount = 258
        let reader = ByteReader(data, .littleEndian)
        if xmp.count > trailerCount, reader.uint8(xmp.upperBound - trailerCount) == 1,
            reader.uint8(xmp.upperBound - trailerCount + 1) == 255
        {
            return reader.bytes(xmp.lowerBound, count: xmp.count - trailerCount).map { Data($0) }
        }
        return Self.joinedBlocks(of: data, from: xmp.lowerBound, atMost: xmp.count)
    }

    /// `nil` when there is nothing in them, or more than the limit.
    private static func joinedBlocks(of data: Data, from offset: Int, atMost limit: Int) -> Data? {
        let joined = unsafe data.withUnsafeBytes { bytes in
            var blocks = unsafe GIFBlocks(bytes, from: offset)
            var joined = Data()
            while joined.count <= limit, let block = unsafe blocks.next() { unsafe joined.append(contentsOf: block) }
            return joined
        }
        return joined.isEmpty || joined.count > limit ? nil : joined
    }
}
