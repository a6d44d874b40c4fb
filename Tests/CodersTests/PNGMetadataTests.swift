import Foundation
import Testing
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct PNGMetadataTests {
    private let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)

    private func metadata(_ data: Data) throws -> ImageMetadata {
        try PNGCoder().metadata(of: data, limits: DecodeLimits())
    }

    @Test func whatIsWrittenIsRead() throws {
        var options = EncodeOptions()
        options.metadata.exif = Data("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        options.metadata.xmp = xmp
        options.metadata.colorProfile = try fixture("swapped_rg.icc")
        let image = try picture(PixelSize(3, 2), alpha: .opaque) { _, _ in .fullRed }
        let data = try PNGCoder().encode(image, to: .png, options: options)
        #expect(try metadata(data) == options.metadata)
        let pixels = try PNGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(PixelColor.fullGreen.distance(to: pixels.color(x: 1, y: 1)) <= 3)
        #expect(try metadata(PNGCoder().encode(image, to: .png, options: EncodeOptions())).isEmpty)
    }

    @Test func iptcHasNoPlace() throws {
        var options = EncodeOptions()
        options.metadata.iptc = Data([0x1C, 2, 5, 0, 1, 0x61])
        let image = try picture(PixelSize(1, 1), alpha: .opaque) { _, _ in .fullRed }
        #expect(try metadata(PNGCoder().encode(image, to: .png, options: options)).isEmpty)
    }

    @Test func textMayBeCompressedAndStandBehindThePixels() throws {
        let keyword = Array("XML:com.adobe.xmp\0".utf8)
        let plain = pngChunk("iTXt", keyword + [0, 0] + Array("en\0Titel\0".utf8) + xmp)
        #expect(try metadata(png(1, type: 0, [[1]], chunks: plain)).xmp == xmp)
        let packed = pngChunk("iTXt", keyword + [1, 0, 0, 0] + zlibStored([UInt8](xmp)))
        #expect(try metadata(png(1, type: 0, [[1]], after: packed)).xmp == xmp)
        // Cut anywhere it is nothing.
        for count in 0..<packed.count - 12 {
            let chunk = pngChunk("iTXt", Array(packed[8..<8 + count]))
            #expect(try metadata(png(1, type: 0, [[1]], after: chunk)).xmp == nil)
        }
    }

    @Test func aBlockWithAWrongChecksumIsLeftOut() throws {
        var chunk = pngChunk("eXIf", Array("II*\0".utf8))
        #expect(try metadata(png(1, type: 0, [[1]], chunks: chunk)).exif?.count == 4)
        chunk[chunk.count - 1] ^= 1
        #expect(try metadata(png(1, type: 0, [[1]], chunks: chunk)).exif == nil)
    }

    @Test("CC-10 no larger than asked, and exact where it is small enough")
    func CC_10_maxPixelSize() throws {
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        let large = try picture(PixelSize(100, 60), alpha: .premultiplied) { _, _ in .fullRed }
        #expect(try PNGCoder().probe(PNGCoder().encode(large, to: .png, options: options)).size == PixelSize(50, 30))
        let small = try picture(PixelSize(1, 1), alpha: .straight) { _, _ in PixelColor(201, 103, 7, 3) }
        var straight = DecodeOptions()
        straight.alpha = .straight
        let data = try PNGCoder().encode(small, to: .png, options: options)
        #expect(try PNGCoder().decode(data, options: straight).pixels.allBytes == [201, 103, 7, 3])
    }
}
