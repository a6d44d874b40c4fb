import WebImageFoundation

extension HeaderExtent {
    /// Up to the end of the box that describes the picture, and of the one that describes a sequence where the brands
    /// announce one (ISO/IEC 14496-12, 4.2).
    static func isoMedia(_ reader: ByteReader) -> HeaderExtent {
        guard let brandEnd = reader.uint32(0) else { return .needs(64) }
        guard reader.count >= min(brandEnd, 1024) else { return .needs(min(brandEnd, 1024)) }
        let brands = stride(from: 8, to: min(brandEnd, 1024), by: 4)
        let isSequence = brands.contains { offset in
            ["avis", "hevc", "hevx", "msf1"].contains { reader.has($0, at: offset) }
        }
        var wanted: Set = isSequence ? ["meta", "moov"] : ["meta"]
        var offset = 0
        while let box = Box(reader, at: offset) {
            guard let end = box.end else { return .whole(Known()) }
            wanted.remove(box.name)
            if wanted.isEmpty { return end <= reader.count ? .whole(Known(isFinal: true)) : .needs(end) }
            offset = end
        }
        return .needs(offset + 16)
    }

    /// A bare codestream says of its own header where it ends; in a box, it begins with the box.
    static func jpegXL(_ reader: ByteReader) -> HeaderExtent {
        let firstLook = 256
        guard reader.uint8(0) == 0 else { return reader.count >= firstLook ? .whole(Known()) : .needs(firstLook) }
        var offset = 0
        while let box = Box(reader, at: offset) {
            if box.name == "jxlc" || box.name == "jxlp" {
                return reader.count >= offset + firstLook ? .whole(Known()) : .needs(offset + firstLook)
            }
            guard let end = box.end else { return .whole(Known()) }
            offset = end
        }
        return .needs(offset + 16)
    }

    private struct Box {
        let name: String
        /// `nil` for a box that ends with the file, and for one whose size makes no sense.
        let end: Int?

        init?(_ reader: ByteReader, at offset: Int) {
            guard let size = reader.uint32(offset), let bytes = reader.bytes(offset + 4, count: 4) else { return nil }
            name = String(decoding: bytes, as: UTF8.self)
            guard size == 1 else {
                end = size >= 8 ? offset + size : nil
                return
            }
            guard let long = reader.uint64(offset + 8) else { return nil }
            let (sum, overflow) = offset.addingReportingOverflow(Int(clamping: long))
            end = long >= 16 && !overflow && sum < .max / 2 ? sum : nil
        }
    }
}
