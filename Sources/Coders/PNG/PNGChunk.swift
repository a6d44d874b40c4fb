import CWebImagePNG
import WebImageCore
import WebImageFoundation

/// The four letters of a chunk, as the number that they are in the file.
struct PNGChunkName: Hashable {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    private init(_ letters: StaticString) {
        code = letters.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    static let header = PNGChunkName("IHDR")
    static let palette = PNGChunkName("PLTE")
    static let transparency = PNGChunkName("tRNS")
    static let pixels = PNGChunkName("IDAT")
    static let end = PNGChunkName("IEND")
    static let animation = PNGChunkName("acTL")
    static let frame = PNGChunkName("fcTL")
    static let framePixels = PNGChunkName("fdAT")
    static let codePoints = PNGChunkName("cICP")
    static let profile = PNGChunkName("iCCP")
    static let standardRGB = PNGChunkName("sRGB")
    static let gamma = PNGChunkName("gAMA")
    static let chromaticities = PNGChunkName("cHRM")
    static let exif = PNGChunkName("eXIf")
    static let text = PNGChunkName("iTXt")

    var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
    }

    /// Whether a decoder that does not know the chunk must refuse the picture: the first letter is a capital.
    var isCritical: Bool { code >> 29 & 1 == 0 }

    var isWellFormed: Bool {
        bytes.allSatisfy { (65...90).contains($0) || (97...122).contains($0) }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Where a chunk stands in a file. Offsets count from the first byte of the file.
struct PNGChunk: Hashable {
    let name: PNGChunkName
    /// Where its length stands, which comes first.
    let offset: Int
    /// Clipped where the file ends.
    let body: Range<Int>
    /// Whether the body and the checksum are all there.
    let isWhole: Bool

    /// Length, name, body and checksum, clipped where the file ends.
    func range(in byteCount: Int) -> Range<Int> {
        offset..<min(byteCount, body.upperBound + 4)
    }
}

/// The chunks of a file, one after the other; the last may be cut.
struct PNGChunks: IteratorProtocol, Sequence {
    private let reader: ByteReader
    private var offset: Int

    init(_ data: Data, from offset: Int = PNGHeader.signature.count) {
        reader = ByteReader(data, .bigEndian)
        self.offset = offset
    }

    mutating func next() -> PNGChunk? {
        guard let count = reader.uint32(offset), let code = reader.uint32(offset + 4) else { return nil }
        let start = offset + 8
        let isWhole = count <= reader.count - start - 4
        let chunk = PNGChunk(
            name: PNGChunkName(code: UInt32(code)), offset: offset,
            body: start..<Swift.min(reader.count, start + count), isWhole: isWhole)
        offset = isWhole ? start + count + 4 : reader.count
        return chunk
    }
}

extension Data {
    /// The bytes of a part that is known to be inside.
    func part(_ range: Range<Int>) -> Data {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }

    /// Whether the chunk's checksum is right.
    func isSound(_ chunk: PNGChunk) -> Bool {
        guard chunk.isWhole, let stored = ByteReader(self, .bigEndian).uint32(chunk.body.upperBound) else {
            return false
        }
        let checked = part(chunk.body.lowerBound - 4..<chunk.body.upperBound)
        return checked.pngChecksum == stored
    }

    /// The checksum that a chunk of this name and body has.
    var pngChecksum: Int {
        unsafe withUnsafeBytes { bytes in
            unsafe Int(cwebimage_png_crc(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
        }
    }

    mutating func append(bigEndian value: UInt32) {
        append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    mutating func append(_ name: PNGChunkName, _ body: Data) {
        append(bigEndian: UInt32(truncatingIfNeeded: body.count))
        let checked = Data(name.bytes) + body
        append(checked)
        append(bigEndian: UInt32(truncatingIfNeeded: checked.pngChecksum))
    }
}
