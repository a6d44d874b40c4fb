import WebImageCore
import WebImageFoundation

/// What stands before the blocks in the segments that hold them.
enum JPEGSegment {
    static let exif = "Exif\0\0"
    static let xmp = "http://ns.adobe.com/xap/1.0/\0"
    static let photoshop = "Photoshop 3.0\0"
    /// What fits a segment beside its length field.
    static let maxByteCount = 65_533
}

extension JPEGReader {
    /// TIFF-framed. XMP uses the same marker.
    var exif: Data? { segments(1, JPEGSegment.exif).first }

    /// The blocks. XMP that goes on in extension segments is its first packet, which is whole in itself.
    func metadata(limits: DecodeLimits) -> ImageMetadata {
        ImageMetadata(
            colorProfile: profile, exif: exif, xmp: segments(1, JPEGSegment.xmp).first, iptc: iptc, limits: limits)
    }

    /// Photoshop's resources may run over several segments.
    private var iptc: Data? {
        PhotoshopResources.iptc(in: segments(13, JPEGSegment.photoshop).reduce(into: Data()) { $0 += $1 })
    }
}

/// Photoshop's image resource blocks: `8BIM`, a number, a name, a length, the bytes; name and bytes padded to even.
enum PhotoshopResources {
    private static let iptcNumber = 0x0404

    static func iptc(in blocks: Data) -> Data? {
        let reader = ByteReader(blocks, .bigEndian)
        var offset = 0
        while reader.has("8BIM", at: offset), let number = reader.uint16(offset + 4),
            let nameCount = reader.uint8(offset + 6)
        {
            let sizeOffset = offset + 6 + (nameCount + 2) / 2 * 2
            guard let count = reader.uint32(sizeOffset), let bytes = reader.bytes(sizeOffset + 4, count: count) else {
                return nil
            }
            if number == iptcNumber { return Data(bytes) }
            offset = sizeOffset + 4 + (count + 1) / 2 * 2
        }
        return nil
    }

    /// IPTC as the only resource.
    static func blocks(iptc: Data) -> Data {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: iptc.count >> (24 - 8 * $0)) }
        return Data("8BIM".utf8) + Data([0x04, 0x04, 0, 0] + count) + iptc + Data(iptc.count % 2 == 1 ? [0] : [])
    }
}
