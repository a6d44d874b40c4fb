import Foundation
import WebImageCore
import WebImagePixels
import WebImageWebP

/// Small animated WebP files, chunk by chunk, and what their frames are by the plainest of compositions.
struct WebPPieces {
    struct Frame {
        /// Even numbers.
        var origin = (x: 0, y: 0)
        var size: PixelSize
        var isBlended: Bool
        var isCleared: Bool
        var color: (_ x: Int, _ y: Int) -> PixelColor
    }

    let size: PixelSize
    var frames: [Frame]

    func file() throws -> Data {
        var body = Data("WEBP".utf8)
        // An animation with alpha, repeated for ever.
        body += Self.chunk("VP8X", [0x12, 0, 0, 0] + Self.uint24(size.width - 1) + Self.uint24(size.height - 1))
        body += Self.chunk("ANIM", [0, 0, 0, 0, 0, 0])
        for frame in frames {
            let place = Self.uint24(frame.origin.x / 2) + Self.uint24(frame.origin.y / 2)
            let size = Self.uint24(frame.size.width - 1) + Self.uint24(frame.size.height - 1)
            let flags: UInt8 = (frame.isBlended ? 0 : 2) | (frame.isCleared ? 1 : 0)
            body += try Self.chunk("ANMF", place + size + Self.uint24(50) + [flags] + Self.pixels(of: frame))
        }
        return Data("RIFF".utf8) + Self.uint24(body.count) + [0] + body
    }

    /// Right where every pixel is opaque or transparent.
    var composed: [[PixelColor]] {
        var canvas = [PixelColor](repeating: .clear, count: size.width * size.height)
        return frames.map { frame in
            for y in 0..<frame.size.height {
                for x in 0..<frame.size.width where !frame.isBlended || frame.color(x, y) != .clear {
                    canvas[place(x, y, of: frame)] = frame.color(x, y)
                }
            }
            let shown = canvas
            guard frame.isCleared else { return shown }
            for y in 0..<frame.size.height {
                for x in 0..<frame.size.width { canvas[place(x, y, of: frame)] = .clear }
            }
            return shown
        }
    }

    private func place(_ x: Int, _ y: Int, of frame: Frame) -> Int {
        (frame.origin.y + y) * size.width + frame.origin.x + x
    }

    /// Without loss: the chunks of a still picture from the first on.
    private static func pixels(of frame: Frame) throws -> [UInt8] {
        let image = try picture(frame.size, alpha: .straight, frame.color)
        let still = try WebPCoder().encode(image, to: .webP, options: EncodeOptions(quality: 1))
        guard let start = still.range(of: Data("VP8L".utf8))?.lowerBound else { return [] }
        return [UInt8](still[start...])
    }

    private static func uint24(_ value: Int) -> [UInt8] {
        [UInt8(value & 255), UInt8(value >> 8 & 255), UInt8(value >> 16 & 255)]
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> Data {
        Data(name.utf8) + uint24(body.count) + [0] + body + (body.count & 1 == 1 ? [0] : [])
    }
}
