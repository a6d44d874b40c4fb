import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct ThumbnailTests {
    struct Row: Sendable {
        let name: String
        let box: (Double, Double)
        let size: PixelSize
    }

    static let rows: [Row] = [
        Row(name: "tall_1x150.png", box: (128, 128), size: PixelSize(1, 128)),
        Row(name: "wide_550x5.png", box: (80, 80), size: PixelSize(80, 1)),
        Row(name: "wide_1000x4.png", box: (50, 50), size: PixelSize(50, 1)),
        Row(name: "square_8.png", box: (100, 100), size: PixelSize(8, 8)),
        Row(name: "square_8.png", box: (-1, 4), size: PixelSize(8, 8)),
        Row(name: "square_8.png", box: (.nan, 4), size: PixelSize(8, 8)),
        Row(name: "square_8.png", box: (.infinity, 4), size: PixelSize(8, 8)),
        Row(name: "square_8.png", box: (0, 0), size: PixelSize(8, 8)),
        Row(name: "square_8.png", box: (4, 0), size: PixelSize(4, 4)),
    ]

    @Test("B37 no size of nothing, none past the box", arguments: rows)
    func B37_sizes(_ row: Row) throws {
        let options = DecodeOptions.thumbnail(row.box.0, row.box.1)
        let image = try decoded(row.name, options)
        #expect(image.pixelSize == row.size)
        #expect(PixelColor(9, 9, 9).distance(to: image.pixels.color(x: 0, y: 0)) <= 1)
        for format in [ImageFormat.jpeg, .webP] {
            let data = try coders.encode(decoded(row.name), to: format, options: EncodeOptions())
            #expect(try coders.decode(data, options: options).pixelSize == row.size)
        }
    }

    @Test("B37 a large picture", arguments: [(400.0, 300.0, 400, 263), (400, 0, 400, 263), (0, 300, 457, 300)])
    func B37_large(_ width: Double, _ height: Double, _ fittedWidth: Int, _ fittedHeight: Int) throws {
        let image = try decodedLarge(ImageSize(width, height))
        #expect(image.pixelSize == PixelSize(fittedWidth, fittedHeight))
        #expect(image.pixels.allColors.allSatisfy { PixelColor(9, 9, 9).distance(to: $0) <= 2 })
    }

    @Test("B37 a thin picture as JPEG")
    func B37_thin() throws {
        let image = try picture(PixelSize(858, 1), alpha: .opaque) { _, _ in PixelColor(9, 9, 9) }
        for format in [ImageFormat.jpeg, .png, .webP] {
            let data = try coders.encode(image, to: format, options: EncodeOptions())
            #expect(try coders.decode(data, options: .thumbnail(80, 80)).pixelSize == PixelSize(80, 1))
        }
    }

    @Test func withoutProportionsItIsStretched() throws {
        let options = DecodeOptions(thumbnailPixelSize: ImageSize(3, 200), preservesAspectRatio: false)
        #expect(try decoded("wide_550x5.png", options).pixelSize == PixelSize(3, 5))
        #expect(try decoded("exif_6.jpg", options).pixelSize == PixelSize(3, 32))
        #expect(try decoded("gif_2000_frames.gif", options).pixelSize == PixelSize(3, 200))
    }

    @Test func transparentPicturesKeepTheirEdges() throws {
        let pixels = try decoded("halo_16.png", .thumbnail(5, 5)).pixels
        for x in 0..<5 {
            let color = try #require(pixels.color(x: x, y: 2))
            #expect(color.alpha < 8 || (color.red >= 250 && color.green <= 4), "\(color) at \(x)")
        }
    }

    /// The same picture as JPEG, where a thumbnail is decoded at an eighth.
    private func decodedLarge(_ box: ImageSize) throws -> DecodedImage {
        try coders.decode(Self.largeJPEG.get(), options: DecodeOptions(thumbnailPixelSize: box))
    }

    private static let largeJPEG = Result { try LargePicture.jpeg() }
}

private enum LargePicture {
    /// 5250×3450 of one colour. The pixels are set as a whole, a debug build being slow at one by one.
    static func jpeg() throws -> Data {
        var pixels = try #require(PixelBuffer(size: PixelSize(5250, 3450), layout: .init(alpha: .opaque)))
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt32.self, repeating: 0xFF09_0909) }
        return try coders.encode(DecodedImage(pixels: pixels), to: .jpeg, options: EncodeOptions())
    }
}
