package import WebImageFoundation

extension ImageMetadata {
    /// The blocks, the more important ones first, as long as they stay within the limit together; empty ones count as
    /// none.
    package init(colorProfile: Data?, exif: Data?, xmp: Data?, iptc: Data? = nil, limits: DecodeLimits) {
        self.init()
        var rest = limits.maxMetadataByteCount
        func taken(_ block: Data?) -> Data? {
            guard let block, !block.isEmpty, block.count <= rest else { return nil }
            rest -= block.count
            return block
        }
        self.colorProfile = taken(colorProfile)
        self.exif = taken(exif)
        self.xmp = taken(xmp)
        self.iptc = taken(iptc)
    }

    /// The TIFF structure in an EXIF block of an ISO media file: the block without the offset before it, and without
    /// the prefix of JPEG that some writers keep.
    package static func tiff(inItem block: Data) -> Data? {
        let reader = ByteReader(block, .bigEndian)
        guard let offset = reader.uint32(0) else { return nil }
        for start in [4 + offset, 4, 10, 0] where isTIFF(reader, at: start) {
            return reader.bytes(start, count: block.count - start)
        }
        return nil
    }

    private static func isTIFF(_ reader: ByteReader, at offset: Int) -> Bool {
        reader.has("II*\0", at: offset) || reader.has("MM\0*", at: offset)
    }
}
