import WebImageFoundation

extension HeaderExtent {
    /// Up to the end of the first scan's header (ISO/IEC 10918-1, annex B).
    static func jpeg(_ reader: ByteReader) -> HeaderExtent {
        var offset = 2
        while let byte = reader.uint8(offset), let marker = reader.uint8(offset + 1) {
            // What is no marker is passed over, as decoders do.
            guard byte == 0xFF, marker != 0, marker != 0xFF, !(0xD0...0xD8).contains(marker) else {
                offset += 1
                continue
            }
            guard let count = reader.uint16(offset + 2) else { break }
            let end = offset + 2 + max(2, count)
            if marker == 0xDA || marker == 0xD9 {
                return end <= reader.count ? .whole(Known(isFinal: true)) : .needs(end)
            }
            offset = end
        }
        // The next marker, and a few segments more: cameras put them in a row.
        return .needs(offset + 512)
    }

    /// Up to the head of the first chunk of pixels. An orientation may come behind them.
    static func png(_ reader: ByteReader) -> HeaderExtent {
        var offset = 8
        var known = Known()
        while let count = reader.uint32(offset), reader.bytes(offset + 4, count: 4) != nil {
            if reader.has("IDAT", at: offset + 4) { return .whole(known) }
            if reader.has("acTL", at: offset + 4) { known.frameCount = reader.uint32(offset + 8) }
            offset += 12 + count
        }
        return .needs(offset + 8)
    }

    /// Up to the end of the first image's descriptor.
    static func gif(_ reader: ByteReader) -> HeaderExtent {
        guard let flags = reader.uint8(10) else { return .needs(13) }
        var offset = 13 + (flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1))
        while reader.uint8(offset) == 0x21 {
            offset += 2
            while let size = reader.uint8(offset) {
                offset += 1 + size
                if size == 0 { break }
            }
        }
        let end = offset + 11
        return reader.count >= end ? .whole(Known()) : .needs(end)
    }

    /// Up to the end of the root element's start tag. Style sheets behind it may still set another size.
    static func svg(_ prefix: Data) -> HeaderExtent {
        XMLRootTag(in: prefix) == .isCut ? .needs(max(1024, prefix.count * 2)) : .whole(Known())
    }

    /// Up to the end of the first picture's frame header, with the colour profile before it.
    static func webP(_ reader: ByteReader) -> HeaderExtent {
        guard let flags = reader.uint8(20) else { return .needs(64) }
        guard reader.has("VP8X", at: 12) else {
            return reader.count >= 64 ? .whole(Known(isFinal: true)) : .needs(64)
        }
        var offset = 30
        let hasProfile = flags & 0x20 != 0
        if hasProfile {
            guard let count = reader.uint32(offset + 4) else { return .needs(64) }
            if reader.has("ICCP", at: offset) { offset += 8 + count + count & 1 }
        }
        // The orientation stands behind the pixels, and each frame of an animation at its place.
        let known = Known(isFinal: flags & 0x0A == 0)
        let end = offset + 64
        return reader.count >= end ? .whole(known) : .needs(end)
    }
}
