import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What stands in the chunks of a WebP file around its pictures (RFC 9649, section 2).
///
/// libwebpdemux would tell the same, but searches its list of frames from the start for each one.
struct WebPChunks: Sendable {
    /// The frames of an animation; none of a still picture.
    private(set) var frames: [Frame] = []
    /// How often an animation plays; 0 is for ever.
    private(set) var loopCount: Int?
    private(set) var orientation: Orientation = .up
    /// Whether the bytes end before the file says that it does.
    private(set) var isTruncated = false
    /// One frame of an animation.
    struct Frame: Sendable {
        var placement: FramePlacement
        /// How long it shows, in milliseconds as stored.
        var duration: Int
        /// Whether it is laid over what is there, and does not replace it.
        var isBlended: Bool
        /// Where the chunks of its pixels stand in the file; empty where there are none.
        var pixels: Range<Int>
        /// Whether its pixels say that some may be transparent.
        var hasAlpha: Bool
        /// Whether they are stored without loss, and may have alpha whatever they say.
        var isLossless: Bool
    }

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
        while offset < size + 8, frames.count <= maxFrameCount, let name = reader.bytes(offset, count: 4),
            let count = reader.uint32(offset + 4)
        {
            guard let body = reader.bytes(offset + 8, count: count) else { break }
            let name = String(decoding: name, as: UTF8.self)
            take(name, body, at: offset + 8)
            offset += 8 + count
            // Pixels that go on behind the end of the file as it says it are none that libwebp takes in one go.
            if offset > size + 8, name.hasPrefix("VP8") { isTruncated = true }
            offset += count & 1
        }
        // The last chunk of an animation may lack its padding byte; of a still picture libwebp wants it.
        let missing = size + 8 - data.count
        if missing > 1 || (missing == 1 && frames.isEmpty) { isTruncated = true }
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

    private mutating func take(_ name: String, _ body: Data, at offset: Int) {
        switch name {
        case "ICCP": colorProfile = colorProfile ?? body
        case "EXIF":
            guard exif == nil else { return }
            exif = body
            orientation = Orientation(exifBlock: body) ?? .up
        case "XMP ": xmp = xmp ?? body
        case "ANIM": loopCount = ByteReader(body, .littleEndian).uint16(4)
        case "ANMF": takeFrame(ByteReader(body, .littleEndian), at: offset)
        default: break
        }
    }

    private mutating func takeFrame(_ body: ByteReader, at offset: Int) {
        func uint24(_ offset: Int) -> Int { (body.uint32(offset) ?? 0) & 0xFF_FFFF }
        guard let flags = body.uint8(15) else { return }
        var frame = Frame(
            placement: FramePlacement(
                x: uint24(0) * 2, y: uint24(3) * 2, size: PixelSize(uint24(6) + 1, uint24(9) + 1),
                disposal: flags & 1 == 1 ? .clear : .keep),
            duration: uint24(12), isBlended: flags & 2 == 0, pixels: offset..<offset, hasAlpha: false,
            isLossless: false)
        frame.findPixels(in: body, at: offset)
        frames.append(frame)
    }
}

extension WebPChunks.Frame {
    /// Looks among the chunks of the frame for its alpha and its colours.
    fileprivate mutating func findPixels(in body: ByteReader, at bodyOffset: Int) {
        var offset = 16
        var start: Int?
        while let count = body.uint32(offset + 4), count <= body.count - offset - 8 {
            let isLossy = body.has("VP8 ", at: offset)
            isLossless = body.has("VP8L", at: offset)
            if body.has("ALPH", at: offset) { (start, hasAlpha) = (start ?? offset, true) }
            if isLossy || isLossless {
                // One bit behind the signature and the size (RFC 9649, section 3.4).
                if isLossless { hasAlpha = (body.uint32(offset + 9) ?? 0) >> 28 & 1 == 1 }
                pixels = bodyOffset + (start ?? offset)..<bodyOffset + offset + 8 + count
                return
            }
            offset += 8 + count + count & 1
        }
    }
}

extension [WebPChunks.Frame] {
    /// How long each shows, in milliseconds as stored.
    var durations: [Int] { map(\.duration) }
    var placements: [FramePlacement] { map(\.placement) }

    /// Of each frame whether it looks the same on a bare canvas: it hides all before it, or nothing is left of that.
    func areKeyFrames(on canvas: PixelSize) -> [Bool] {
        var answers: [Bool] = []
        for (index, frame) in enumerated() {
            let hidesAll = frame.placement.covers(canvas) && !(frame.isBlended && frame.hasAlpha)
            let previous = index > 0 ? self[index - 1].placement : nil
            let isBare = previous.map {
                $0.disposal == .clear && ($0.covers(canvas) || answers[index - 1])
            }
            answers.append(hidesAll || isBare ?? true)
        }
        return answers
    }
}
