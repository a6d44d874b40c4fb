import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What stands in the chunks of a WebP file around its pictures (RFC 9649, section 2).
///
/// libwebpdemux would tell the same, but searches its list of frames from the start for each one.
struct WebPChunks: Sendable {
    /// How long each frame of an animation shows, in milliseconds as stored; empty for a still picture.
    private(set) var durations: [Int] = []
    private(set) var placements: [FramePlacement] = []
    /// How often an animation plays; 0 is for ever.
    private(set) var loopCount: Int?
    private(set) var orientation: Orientation = .up
    /// Whether the bytes end before the file says that it does.
    private(set) var isTruncated = false
    private var colorProfile: Data?
    private var exif: Data?
    private var xmp: Data?

    /// - Parameter maxFrameCount: Reading stops when there are more.
    init(_ data: Data, maxFrameCount: Int = .max) {
        let reader = ByteReader(data, .littleEndian)
        guard let size = reader.uint32(4) else {
            isTruncated = true
            return
        }
        var offset = 12
        while offset < size + 8, durations.count <= maxFrameCount, let name = reader.bytes(offset, count: 4),
            let count = reader.uint32(offset + 4)
        {
            guard let body = reader.bytes(offset + 8, count: count) else { break }
            let name = String(decoding: name, as: UTF8.self)
            take(name, body)
            offset += 8 + count
            // Pixels that go on behind the end of the file as it says it are none that libwebp takes in one go.
            if offset > size + 8, name.hasPrefix("VP8") { isTruncated = true }
            offset += count & 1
        }
        // The last chunk of an animation may lack its padding byte; of a still picture libwebp wants it.
        let missing = size + 8 - data.count
        if missing > 1 || (missing == 1 && durations.isEmpty) { isTruncated = true }
    }

    /// The blocks beside the pictures, within the limit.
    func metadata(_ limits: DecodeLimits) -> ImageMetadata {
        ImageMetadata(
            colorProfile: colorProfile.map { Data($0) }, exif: exif.map(Self.withoutPrefix),
            xmp: xmp.map { Data($0) }, limits: limits)
    }

    /// Some writers keep the prefix of JPEG before the TIFF structure.
    private static func withoutPrefix(_ exif: Data) -> Data {
        let prefix = "Exif\0\0"
        return Data(ByteReader(exif, .littleEndian).has(prefix, at: 0) ? exif.dropFirst(prefix.utf8.count) : exif)
    }

    private mutating func take(_ name: String, _ body: Data) {
        switch name {
        case "ICCP": colorProfile = colorProfile ?? body
        case "EXIF":
            guard exif == nil else { return }
            exif = body
            orientation = Orientation(exifBlock: body) ?? .up
        case "XMP ": xmp = xmp ?? body
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
