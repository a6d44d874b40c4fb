import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

/// What is left out of a JPEG changes nothing of what is kept.
@Suite struct JPEGRegionTests {
    static let names = [
        "444", "422", "440", "420", "411", "420_restarts", "444_progressive", "420_progressive",
    ]

    private func data(_ name: String, exif orientation: UInt8 = 1) throws -> Data {
        try turned(jpegFixture("sampling_\(name)"), orientation)
    }

    private func options(_ rect: PixelRect, width: Double? = nil) -> DecodeOptions {
        var options = DecodeOptions()
        options.cropRect = rect
        options.thumbnailPixelSize = width.map { ImageSize($0, 0) }
        return options
    }

    /// Corners and sides on borders of blocks and beside them.
    private func parts(of size: PixelSize) -> [PixelRect] {
        var parts = [PixelRect(x: 1, y: 1, width: size.width - 2, height: size.height - 2)]
        for x in [0, 7, 31, 90] {
            for y in [0, 1, 16, 33, 71] {
                parts.append(PixelRect(x: x, y: y, width: 1 + (x * 7 + y) % 40, height: 1 + (x + y * 5) % 40))
            }
        }
        parts.append(PixelRect(x: size.width - 1, y: 0, width: 1, height: size.height))
        parts.append(PixelRect(x: 0, y: size.height - 1, width: size.width, height: 1))
        return parts
    }

    @Test("A part is the part of the whole, to the bit", arguments: names)
    func part(_ name: String) throws {
        let data = try data(name)
        let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        for rect in parts(of: whole.size) {
            let expected = try #require(whole.cropped(to: rect))
            let pixels = try JPEGCoder().decode(data, options: options(rect)).pixels
            #expect(pixels.allBytes == expected.allBytes, "\(rect)")
            #expect(pixels.alpha == .opaque)
        }
    }

    @Test("A part of a turned picture", arguments: 1...8)
    func turnedPart(_ orientation: Int) throws {
        let data = try data("420", exif: UInt8(orientation))
        let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        for rect in parts(of: whole.size) {
            let pixels = try JPEGCoder().decode(data, options: options(rect)).pixels
            #expect(try pixels.allBytes == #require(whole.cropped(to: rect)).allBytes, "\(rect)")
        }
    }

    @Test("A part that the transform makes smaller is near to one that is made smaller later", arguments: names)
    func smallerPart(_ name: String) throws {
        let data = try data(name)
        let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        for (rect, width) in [
            (PixelRect(x: 33, y: 18, width: 96, height: 64), 48.0),
            (PixelRect(x: 17, y: 35, width: 101, height: 57), 25),
            (PixelRect(x: 5, y: 3, width: 168, height: 114), 20), (PixelRect(x: 0, y: 0, width: 173, height: 117), 10),
        ] {
            let pixels = try JPEGCoder().decode(data, options: options(rect, width: width)).pixels
            let expected = try #require(whole.cropped(to: rect)?.resized(to: pixels.size))
            #expect(pixels.size.width == Int(width))
            #expect(pixels.distance(to: expected) ?? 255 <= 20, "\(rect)")
        }
    }

    @Test("A part whose bytes come in pieces is the same", arguments: names)
    func pieces(_ name: String) throws {
        let data = try data(name, exif: 6)
        for rect in [PixelRect(x: 20, y: 30, width: 40, height: 50), PixelRect(x: 90, y: 100, width: 99, height: 99)] {
            for options in [options(rect), options(rect, width: 12)] {
                try expectSameHoweverCut(JPEGCoder(), data, options)
            }
        }
    }

    @Test("Rows behind the part need not be there")
    func cut() throws {
        let data = try data("420")
        let rect = PixelRect(x: 40, y: 10, width: 30, height: 20)
        let whole = try JPEGCoder().decode(data, options: options(rect)).pixels
        let half = data.prefix(data.count / 2)
        #expect(try JPEGCoder().decode(half, options: options(rect)).pixels.allBytes == whole.allBytes)
        #expect(failure { _ = try JPEGCoder().decode(data.prefix(900), options: options(rect)) }?.code == .badImageData)
    }

    @Test("A cancelled decode of a part ends while rows are skipped")
    func cancelled() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let rect = PixelRect(x: 0, y: 100, width: 9, height: 9)
        for name in Self.names {
            let error = failure { _ = try JPEGCoder().decode(data(name), options: options(rect), monitor: monitor) }
            #expect(error?.code == .cancelled)
        }
    }
}

/// The picture with an EXIF block of nothing but an orientation.
func turned(_ data: Data, _ orientation: UInt8) -> Data {
    let tiff: [UInt8] =
        Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    return data.prefix(2) + [0xFF, 0xE1, 0, UInt8(tiff.count + 2)] + tiff + data.dropFirst(2)
}
