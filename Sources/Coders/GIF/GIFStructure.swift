import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The blocks of a GIF, read without decoding any pixel (GIF89a, sections 17 to 27).
struct GIFStructure {
    /// One image with what its graphic control extension says.
    struct Frame {
        var placement: FramePlacement
        /// How long it shows, in milliseconds as stored.
        var duration: Int
        /// The palette index that leaves the canvas as it is.
        var transparentIndex: Int?
    }

    private(set) var canvas: PixelSize
    private(set) var frames: [Frame] = []
    /// The number in the first loop extension, where there is one; 0 is for ever.
    private(set) var loopCount: Int?
    /// Whether the bytes end inside a block. A missing trailer is no such end.
    private(set) var isTruncated = false

    private let reader: ByteReader
    private var offset = 13
    /// The graphic control extension that the next image takes.
    private var control: (disposal: FramePlacement.Disposal, duration: Int, transparentIndex: Int?)?

    /// - Throws: `badImageData` when not even a logical screen can be read.
    init(_ data: Data) throws(ImageError) {
        reader = ByteReader(data, .littleEndian)
        guard reader.has("GIF", at: 0), let width = reader.uint16(6), let height = reader.uint16(8),
            let flags = reader.uint8(10)
        else { throw ImageError(.badImageData, .decode, "the gif is truncated: its header is not whole") }
        canvas = PixelSize(width, height)
        offset += Self.tableByteCount(flags)
        while readBlock() {}
        // Some writers leave the screen's size out; the first image is then the picture.
        if canvas.isEmpty, let first = frames.first?.placement {
            canvas = PixelSize(first.x + first.size.width, first.y + first.size.height)
        }
    }

    /// Whether some pixel of some frame may be transparent.
    var hasAlpha: Bool {
        frames.contains { $0.transparentIndex != nil } || frames.map(\.placement).leaveHoles(in: canvas)
    }

    /// The first frame that has any part in how the given one looks.
    func firstFrame(neededFor index: Int) -> Int {
        frames[...index].indices.last { candidate in
            let frame = frames[candidate]
            return frame.transparentIndex == nil && frame.placement.covers(canvas)
                && (candidate == index || frame.placement.disposal != .restorePrevious)
        } ?? 0
    }

    /// `false` at the end, whether it is the trailer, the last byte or something that is no block.
    private mutating func readBlock() -> Bool {
        switch reader.uint8(offset) {
        case 0x21: return readExtension()
        case 0x2C: return readImage()
        default: return false
        }
    }

    private mutating func readExtension() -> Bool {
        let label = reader.uint8(offset + 1)
        let body = offset + 2
        guard let end = endOfSubBlocks(from: body) else { return false }
        if label == 0xF9 { readControl(at: body) }
        if label == 0xFF { readLoopCount(at: body) }
        offset = end
        return true
    }

    private mutating func readControl(at body: Int) {
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

    private mutating func readLoopCount(at body: Int) {
        let isLoopExtension = reader.has("NETSCAPE2.0", at: body + 1) || reader.has("ANIMEXTS1.0", at: body + 1)
        guard isLoopExtension, reader.uint8(body) == 11, let size = reader.uint8(body + 12), size >= 3,
            let id = reader.uint8(body + 13), id & 7 == 1
        else { return }
        loopCount = loopCount ?? reader.uint16(body + 14)
    }

    private mutating func readImage() -> Bool {
        guard let x = reader.uint16(offset + 1), let y = reader.uint16(offset + 3),
            let width = reader.uint16(offset + 5), let height = reader.uint16(offset + 7),
            let flags = reader.uint8(offset + 9)
        else {
            isTruncated = true
            return false
        }
        frames.append(
            Frame(
                placement: FramePlacement(
                    x: x, y: y, size: PixelSize(width, height), disposal: control?.disposal ?? .keep),
                duration: control?.duration ?? 0, transparentIndex: control?.transparentIndex))
        control = nil
        // One byte, the code size, comes before the data.
        guard let end = endOfSubBlocks(from: offset + 11 + Self.tableByteCount(flags)) else { return false }
        offset = end
        return true
    }

    /// The offset behind the empty block that ends a chain of blocks.
    private mutating func endOfSubBlocks(from start: Int) -> Int? {
        var position = start
        while let size = reader.uint8(position) {
            position += 1 + size
            if size == 0 { return position }
        }
        isTruncated = true
        return nil
    }

    private static func tableByteCount(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
    }
}
