import Foundation
import Testing
import WebImageCore
import WebImagePixels

/// Small GIF files, block by block. Pixels are stored one code each, with a clear code often enough that codes never
/// grow wider.
enum GIFPieces {
    /// The header of a file without a palette of its own.
    static func header(_ size: PixelSize) -> [UInt8] {
        Array("GIF89a".utf8) + littleEndian16(size.width) + littleEndian16(size.height) + [0, 0, 0]
    }

    struct Frame {
        var origin = (x: 0, y: 0)
        var size: PixelSize
        /// Of two colours at least.
        var palette: [PixelColor] = [.fullRed, .fullGreen, .fullBlue, .white]
        var indices: [UInt8]
        var disposal: UInt8 = 1
        /// In hundredths of a second.
        var delay = 10
        var transparentIndex: UInt8?
        var isInterlaced = false
    }

    static func frame(_ frame: Frame) -> [UInt8] {
        control(frame) + description(frame) + pixels(frame.indices)
    }

    static func file(_ size: PixelSize, _ frames: [Frame]) -> Data {
        Data(header(size) + frames.flatMap(Self.frame) + [0x3B])
    }

    static func littleEndian16(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    /// Bytes in blocks, with the empty one that ends them.
    static func blocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let part = bytes[start..<min(bytes.count, start + 255)]
            return [UInt8(part.count)] + part
        } + [0]
    }

    /// A chain of codes, all of one width.
    static func codes(_ codes: [Int], width: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var bits = 0
        var count = 0
        for code in codes {
            bits |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        return count > 0 ? bytes + [UInt8(bits & 255)] : bytes
    }

    private static func control(_ frame: Frame) -> [UInt8] {
        [0x21, 0xF9, 4, frame.disposal << 2 | (frame.transparentIndex == nil ? 0 : 1)] + littleEndian16(frame.delay)
            + [frame.transparentIndex ?? 0, 0]
    }

    private static func description(_ frame: Frame) -> [UInt8] {
        let padded = frame.palette + Array(repeating: .black, count: 256 - frame.palette.count)
        return [0x2C] + littleEndian16(frame.origin.x) + littleEndian16(frame.origin.y)
            + littleEndian16(frame.size.width) + littleEndian16(frame.size.height)
            + [0x87 | (frame.isInterlaced ? 0x40 : 0)] + padded.flatMap { [$0.red, $0.green, $0.blue] }
    }

    private static func pixels(_ indices: [UInt8]) -> [UInt8] {
        let codes = indices.enumerated().flatMap { $0 % 200 == 0 ? [256, Int($1)] : [Int($1)] } + [257]
        return [8] + blocks(Self.codes(codes, width: 9))
    }
}
