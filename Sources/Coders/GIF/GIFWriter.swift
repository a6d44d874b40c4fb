import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one file, block after block (GIF89a, sections 17 to 27).
struct GIFWriter {
    /// What a graphic control extension says.
    struct Control {
        /// In hundredths of a second.
        var delay: Int
        /// Whether the frame's place is cleared when its time is over.
        var isCleared: Bool
    }

    private var bytes: [UInt8]

    /// - Parameter size: Sides of at most 65,535.
    init(_ size: PixelSize) {
        // Eight bits a channel, and no palette: each frame has its own.
        bytes = Array("GIF89a".utf8) + Self.uint16(size.width) + Self.uint16(size.height) + [0x70, 0, 0]
    }

    /// How often the animation is repeated; 0 is for ever.
    mutating func writeLoop(count: Int) {
        writeApplication("NETSCAPE2.0", [1] + Self.uint16(count))
    }

    /// The blocks that the format can hold.
    mutating func writeApplications(_ metadata: ImageMetadata) {
        if let profile = metadata.colorProfile { writeApplication("ICCRGBG1012", [UInt8](profile)) }
        guard let xmp = metadata.xmp, !xmp.contains(0) else { return }
        // Written raw, not in blocks: a reader of blocks takes letters for lengths, and the trailer leads it to the
        // end from wherever it comes there.
        bytes += [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + xmp + [1] + (0...255).reversed() + [0]
    }

    mutating func write(
        _ picture: GIFIndexing, at place: (x: Int, y: Int), _ size: PixelSize, _ control: Control?
    ) {
        if control != nil || picture.transparentIndex != nil {
            write(control ?? Control(delay: 0, isCleared: false), picture.transparentIndex)
        }
        // A palette has a power of two of entries, 2 at least.
        let bitCount = (1...8).first { 1 << $0 >= picture.palette.count } ?? 8
        bytes += [0x2C] + Self.uint16(place.x) + Self.uint16(place.y) + Self.uint16(size.width)
        bytes += Self.uint16(size.height) + [0x80 | UInt8(bitCount - 1)]
        let padding = [UInt32](repeating: 0, count: 1 << bitCount - picture.palette.count)
        for color in picture.palette + padding {
            bytes += [UInt8(color & 255), UInt8(color >> 8 & 255), UInt8(color >> 16 & 255)]
        }
        // A code size of 1 is not allowed (appendix F).
        let codeSize = max(2, bitCount)
        bytes.append(UInt8(codeSize))
        bytes += GIFCodeWriter.blocks(of: picture.indices, codeSize: codeSize)
    }

    /// The bytes of the file, which is complete with them.
    consuming func finish() -> Data {
        bytes.append(0x3B)
        return Data(bytes)
    }

    private mutating func write(_ control: Control, _ transparentIndex: Int?) {
        let disposal: UInt8 = control.isCleared ? 2 : 1
        bytes += [0x21, 0xF9, 4, disposal << 2 | (transparentIndex == nil ? 0 : 1)] + Self.uint16(control.delay)
        bytes += [UInt8(transparentIndex ?? 0), 0]
    }

    private mutating func writeApplication(_ name: String, _ body: [UInt8]) {
        bytes += [0x21, 0xFF, 11] + Array(name.utf8)
        for start in stride(from: 0, to: body.count, by: 255) {
            let block = body[start..<min(body.count, start + 255)]
            bytes.append(UInt8(block.count))
            bytes += block
        }
        bytes.append(0)
    }

    private static func uint16(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
}
