import Testing
import WebImagePixels

@Suite("Pixel buffers")
struct PixelBufferTests {
    @Test("A copy is untouched when the other is written")
    func copyOnWrite() throws {
        let first = try #require(PixelBuffer(size: PixelSize(2, 2)))
        var second = first
        second.withUnsafeMutableBytes {
            $0[0] = 7
            $0[3] = 255
        }
        #expect(first.color(x: 0, y: 0) == .clear)
        #expect(second.color(x: 0, y: 0) == PixelColor(7, 0, 0, 255))
    }

    @Test("Sizes that no buffer can have are refused")
    func refusedSizes() {
        #expect(PixelBuffer(size: PixelSize(0, 5)) == nil)
        #expect(PixelBuffer(size: PixelSize(-1, 5)) == nil)
        #expect(PixelBuffer(size: PixelSize(.max, 2)) == nil)
        #expect(PixelBuffer(size: PixelSize(1 << 31, 1 << 31)) == nil)
        #expect(PixelBuffer(size: PixelSize(.max / 4, 2)) == nil)
    }

    @Test("Colours are straight, whatever the buffer holds")
    func colors() throws {
        let half = picture([[PixelColor(200, 100, 50, 128)]]).withAlpha(.premultiplied)
        #expect(half.withUnsafeBytes { $0[0] } == 100)
        let color = try #require(half.color(x: 0, y: 0))
        #expect(abs(Int(color.red) - 200) <= 1 && abs(Int(color.green) - 100) <= 1 && color.alpha == 128)
        #expect(half.color(x: 1, y: 0) == nil && half.color(x: 0, y: -1) == nil)
    }

    @Test("Multiplying by alpha rounds exactly, and back again within one step of the alpha")
    func alphaRoundTrip() {
        for alpha in 0...255 {
            for value in 0...255 {
                var bytes: [UInt8] = [UInt8(value), 0, 255, UInt8(alpha)]
                bytes.withUnsafeMutableBytes { premultiply($0) }
                #expect(Int(bytes[0]) == (value * alpha * 2 + 255) / 510)
                #expect(bytes[2] == UInt8(alpha))
                let premultiplied = bytes
                bytes.withUnsafeMutableBytes { unpremultiply($0) }
                bytes.withUnsafeMutableBytes { premultiply($0) }
                #expect(bytes == premultiplied)
            }
        }
    }

    @Test("Half floats hold the same colours")
    func halfFloats() throws {
        var buffer = try #require(PixelBuffer(size: PixelSize(1, 1), layout: .init(format: .rgbaHalf)))
        buffer.withUnsafeMutableBytes {
            $0.storeBytes(of: SIMD4<Float16>(0.25, 0.5, 0, 0.5), as: SIMD4<Float16>.self)
        }
        #expect(buffer.bytesPerRow == 8)
        #expect(buffer.color(x: 0, y: 0) == PixelColor(128, 255, 0, 128))
    }

    @Test("A sink whose rows stop early gives transparent rows")
    func earlyEnd() throws {
        var sink = try #require(PixelBufferSink(size: PixelSize(2, 3)))
        sink.withNextRow { $0.initializeMemory(as: UInt8.self, repeating: 255) }
        let buffer = sink.finish()
        #expect(buffer.color(x: 1, y: 0) == PixelColor(255, 255, 255))
        #expect(buffer.color(x: 1, y: 1) == .clear && buffer.color(x: 0, y: 2) == .clear)
    }

    @Test("A small picture stands in the middle of a clear canvas")
    func centring() throws {
        let canvas = try #require(picture([[PixelColor(1, 2, 3)]]).centred(in: PixelSize(3, 3)))
        #expect(canvas.color(x: 1, y: 1) == PixelColor(1, 2, 3))
        #expect(canvas.color(x: 0, y: 1) == .clear && canvas.color(x: 1, y: 2) == .clear)
        #expect(canvas.centred(in: PixelSize(2, 3)) == nil)
    }
}

/// A picture of straight colours, row by row.
func picture(_ rows: [[PixelColor]]) -> PixelBuffer {
    var buffer = PixelBuffer(size: PixelSize(rows[0].count, rows.count), layout: .init(alpha: .straight))!
    let stride = buffer.bytesPerRow
    buffer.withUnsafeMutableBytes { bytes in
        for (y, row) in rows.enumerated() {
            for (x, color) in row.enumerated() {
                bytes[y * stride + x * 4] = color.red
                bytes[y * stride + x * 4 + 1] = color.green
                bytes[y * stride + x * 4 + 2] = color.blue
                bytes[y * stride + x * 4 + 3] = color.alpha
            }
        }
    }
    return buffer
}
