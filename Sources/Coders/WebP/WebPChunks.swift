import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What stands in the chunks of a WebP file around its pictures (RFC 9649, section 2).
///
/// libwebpdemux would tell the same, but searches its list of frames from the start for each one.
struct WebPChunks {
    /// How long each frame of an animation shows, in milliseconds as stored; empty for a still picture.
    private(set) var durations: [Int] = []
    private(set) var placements: [FramePlacement] = []
    /// How often an animation plays; 0 is for ever.
    private(set) var loopCount: Int?
    private(set) var orientation: Orientation = .up
    private(set) var profileName: String?
    /// Whether the bytes end before the file says that it does.
    private(set) var isTruncated = false

    init(_ data: Data) {
        let reader = ByteReader(data, .littleEndian)
        guard let size = reader.uint32(4) else {
            isTruncated = true
            return
        }
        // An odd last chunk may lack its padding byte.
        isTruncated = size + 8 > data.count + 1
        var offset = 12
        while offset < size + 8, let name = reader.bytes(offset, count: 4), let count = reader.uint32(offset + 4) {
            guard let body = reader.bytes(offset + 8, count: count) else { break }
            take(String(decoding: name, as: UTF8.self), body)
            offset += 8 + count + count & 1
        }
    }

    private mutating func take(_ name: String, _ body: Data) {
        switch name {
        case "ICCP": profileName = ICCProfileName.name(of: body)
        case "EXIF": orientation = Orientation(exifBlock: body) ?? .up
        case "ANIM": loopCount = ByteReader(body, .littleEndian).uint16(4)
        case "ANMF": takeFrame(ByteReader(body, .littleEndian))
        default: break
        }
    }

    private mutating func takeFrame(_ body: ByteReader) {
        func uint24(_ offset: Int) -> Int { (body.uint32(offset) ?? 0) & 0xFF_FFFF }
        guard let flags = body.uint8(15) else { return }
        durations.append(uint24(12))
        placements.append(
            FramePlacement(
                x: uint24(0) * 2, y: uint24(3) * 2, size: PixelSize(uint24(6) + 1, uint24(9) + 1),
                disposal: flags & 1 == 1 ? .clear : .keep))
    }
}
