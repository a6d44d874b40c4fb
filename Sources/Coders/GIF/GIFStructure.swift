import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The blocks of a GIF, read without decoding any pixel (GIF89a, sections 17 to 27).
///
/// Reads as far as the bytes go; when more have come, `advance` goes on from there.
struct GIFStructure: Sendable {
    /// One image with what its graphic control extension says.
    struct Frame: Sendable {
        var placement: FramePlacement
        /// How long it shows, in milliseconds as stored.
        var duration: Int
        /// The palette index that leaves the canvas as it is.
        var transparentIndex: Int?
        var isInterlaced: Bool
        /// Where its own palette stands in the file, where it has one.
        var palette: Range<Int>?
        /// Where its code size stands in the file; the blocks of its pixels follow.
        var codeSizeOffset: Int
    }

    private(set) var canvas = PixelSize(0, 0)
    private(set) var frames: [Frame] = []
    /// Where the palette of frames without one of their own stands.
    private(set) var palette: Range<Int>?
    /// The number in the first loop extension, where there is one; 0 is for ever.
    private(set) var loopCount: Int?
    /// Where the blocks of a colour profile begin. One that comes after the first image does not count.
    private(set) var profileOffset: Int?
    /// Where an XMP packet with its trailer stands.
    private(set) var xmp: Range<Int>?

    private enum Position {
        case header
        case block
        /// In the blocks of an extension, of which the label and the start are given.
        case extensionBlocks(label: Int, body: Int)
        case imageBlocks
        case end
    }

    private var position = Position.header
    private var offset = 0
    private var byteCount = 0
    /// The graphic control extension that the next image takes.
    private var control: (disposal: FramePlacement.Disposal, duration: Int, transparentIndex: Int?)?

    /// Of a file whose first bytes are still to come.
    init() {}

    /// Stops reading when there are more frames than given.
    ///
    /// - Throws: `badImageData` when not even a logical screen can be read.
    init(_ data: Data, maxFrameCount: Int = .max) throws(ImageError) {
        advance(over: data, maxFrameCount: maxFrameCount)
        if case .header = position {
            throw ImageError(.badImageData, .decode, "the gif is truncated: its header is not whole")
        }
    }

    /// Goes on reading.
    ///
    /// - Parameter data: All bytes from the start of the file, as far as they have come.
    mutating func advance(over data: Data, maxFrameCount: Int) {
        let reader = ByteReader(data, .littleEndian)
        byteCount = data.count
        while frames.count <= maxFrameCount, step(reader) {}
    }

    /// Whether the bytes end inside a block. A missing trailer is no such end.
    var isTruncated: Bool {
        switch position {
        case .header, .extensionBlocks, .imageBlocks: true
        case .block: offset < byteCount
        case .end: false
        }
    }

    /// Whether all bytes of the first frame are there.
    var hasFirstFrame: Bool {
        if case .imageBlocks = position { return frames.count > 1 }
        return !frames.isEmpty
    }

    /// Whether no frame is to come, however many more bytes do.
    var isAtEnd: Bool {
        if case .end = position { return true }
        return false
    }

    /// Whether some pixel of some frame may be transparent.
    var hasAlpha: Bool {
        frames.contains { $0.transparentIndex != nil } || frames.map(\.placement).leaveHoles(in: canvas)
    }

    /// `false` where more bytes are needed, or none.
    private mutating func step(_ reader: ByteReader) -> Bool {
        switch position {
        case .header: readHeader(reader)
        case .block: readBlock(reader)
        case .extensionBlocks(let label, let body): readExtension(reader, label: label, body: body)
        case .imageBlocks: skipBlocks(reader)
        case .end: false
        }
    }

    private mutating func readHeader(_ reader: ByteReader) -> Bool {
        guard let width = reader.uint16(6), let height = reader.uint16(8), let flags = reader.uint8(10),
            reader.count >= 13
        else { return false }
        guard reader.has("GIF", at: 0) else {
            position = .end
            return false
        }
        canvas = PixelSize(width, height)
        offset = 13 + Self.tableByteCount(flags)
        palette = offset > 13 ? 13..<offset : nil
        position = .block
        return true
    }

    /// Comes to the end at the trailer, and at something that is no block.
    private mutating func readBlock(_ reader: ByteReader) -> Bool {
        switch reader.uint8(offset) {
        case 0x21:
            guard let label = reader.uint8(offset + 1) else { return false }
            offset += 2
            position = .extensionBlocks(label: label, body: offset)
            return true
        case 0x2C: return readImage(reader)
        case nil: return false
        default:
            position = .end
            return false
        }
    }

    /// Goes over a chain of blocks, up to and over the empty one that ends it; `false` when that has not come.
    private mutating func skipBlocks(_ reader: ByteReader) -> Bool {
        while let size = reader.uint8(offset), size < reader.count - offset {
            offset += 1 + size
            guard size == 0 else { continue }
            position = .block
            return true
        }
        return false
    }

    private mutating func readImage(_ reader: ByteReader) -> Bool {
        guard let x = reader.uint16(offset + 1), let y = reader.uint16(offset + 3),
            let width = reader.uint16(offset + 5), let height = reader.uint16(offset + 7),
            let flags = reader.uint8(offset + 9)
        else { return false }
        let table = offset + 10..<offset + 10 + Self.tableByteCount(flags)
        frames.append(
            Frame(
                placement: FramePlacement(
                    x: x, y: y, size: PixelSize(width, height), disposal: control?.disposal ?? .keep),
                duration: control?.duration ?? 0, transparentIndex: control?.transparentIndex,
                isInterlaced: flags & 0x40 != 0, palette: table.isEmpty ? nil : table,
                codeSizeOffset: table.upperBound))
        control = nil
        // Some writers leave the screen's size out; the first image is then the picture.
        if canvas.isEmpty, frames.count == 1 { canvas = PixelSize(x + width, y + height) }
        offset = table.upperBound + 1
        position = .imageBlocks
        return true
    }

    private static func tableByteCount(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
    }
}

// MARK: Extensions

extension GIFStructure {
    private mutating func readExtension(_ reader: ByteReader, label: Int, body: Int) -> Bool {
        guard skipBlocks(reader) else { return false }
        if label == 0xF9 { readControl(reader, at: body) }
        if label == 0xFF { readApplication(reader, at: body) }
        return true
    }

    private mutating func readControl(_ reader: ByteReader, at body: Int) {
        guard let size = reader.uint8(body), size >= 4, let flags = reader.uint8(body + 1),
            let hundredths = reader.uint16(body + 2), let index = reader.uint8(body + 4)
        else { return }
        let disposal: FramePlacement.Disposal =
            switch flags >> 2 & 7 {
            case 2: .clear
            case 3: .restorePrevious
            default: .keep
            }
        control = (disposal, hundredths * 10, flags & 1 == 1 ? index : nil)
    }

    private mutating func readApplication(_ reader: ByteReader, at body: Int) {
        guard reader.uint8(body) == 11 else { return }
        let blocks = body + 12
        if reader.has("NETSCAPE2.0", at: body + 1) || reader.has("ANIMEXTS1.0", at: body + 1) {
            guard let size = reader.uint8(blocks), size >= 3, let id = reader.uint8(blocks + 1), id & 7 == 1 else {
                return
            }
            loopCount = loopCount ?? reader.uint16(blocks + 2)
        } else if reader.has("ICCRGBG1012", at: body + 1), frames.isEmpty {
            profileOffset = profileOffset ?? blocks
        } else if reader.has("XMP DataXMP", at: body + 1) {
            xmp = xmp ?? blocks..<offset
        }
    }
}
