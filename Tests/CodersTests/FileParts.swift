import Foundation
import WebImagePixels

/// A PNG chunk with its checksum.
func pngChunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + body
    return bigEndian(UInt32(body.count)) + checked + bigEndian(crc32(checked))
}

/// The file with one more chunk, in the extended form.
func webP(_ plain: Data, canvas: PixelSize, chunk name: String, _ body: [UInt8], flag: UInt8) -> Data {
    let size = littleEndian(UInt32(canvas.width - 1)).prefix(3) + littleEndian(UInt32(canvas.height - 1)).prefix(3)
    let extended = Array("VP8X".utf8) + littleEndian(10) + [flag, 0, 0, 0] + size
    let padding: [UInt8] = body.count % 2 == 1 ? [0] : []
    let extra = Array(name.utf8) + littleEndian(UInt32(body.count)) + body + padding
    let content = Array("WEBP".utf8) + extended + [UInt8](plain.dropFirst(12)) + extra
    return Data(Array("RIFF".utf8) + littleEndian(UInt32(content.count)) + content)
}

func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
}

func littleEndian(_ value: UInt32) -> [UInt8] {
    bigEndian(value).reversed()
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
        (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1 }
    }
}
