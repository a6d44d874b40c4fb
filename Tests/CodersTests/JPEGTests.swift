import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

@Suite struct JPEGTests {
    @Test("B31 lacking the end marker, restart-marked and progressive give the same picture")
    func B31_samePixels() throws {
        let base = try decoded("base.jpg").pixels
        #expect(base.size == PixelSize(64, 64))
        #expect(base.alpha == .opaque)
        for name in ["no_eoi.jpg", "restart.jpg", "progressive.jpg"] {
            let distance = try #require(try decoded(name).pixels.distance(to: base))
            #expect(distance <= 1, "\(name)")
        }
    }

    @Test("B10 a cut JPEG is one error, never half a picture")
    func B10_cut() throws {
        let error = failure { _ = try decoded("cut60.jpg") }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("the jpeg is truncated: it ends after 1930 bytes") == true)
    }

    @Test("B31 wherever it is cut, a JPEG is no silent success", arguments: ["base", "restart", "progressive"])
    func B31_everyCut(_ name: String) throws {
        let data = try fixture("\(name).jpg")
        let whole = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        // The last two bytes are the end marker, which may be missing.
        for count in 1..<data.count - 2 {
            let error = failure { _ = try JPEGCoder().decode(data.prefix(count), options: DecodeOptions()) }
            #expect(error?.code == .badImageData, "\(count) bytes")
        }
        for count in data.count - 2...data.count {
            let pixels = try JPEGCoder().decode(data.prefix(count), options: DecodeOptions()).pixels
            #expect(pixels.distance(to: whole) == 0)
        }
    }

    @Test("B31 a cut thumbnail is no silent success either")
    func B31_cutThumbnail() throws {
        for name in ["base.jpg", "progressive.jpg"] {
            let data = try fixture(name)
            for count in stride(from: 700, to: data.count - 2, by: 37) {
                let error = failure { _ = try JPEGCoder().decode(data.prefix(count), options: .thumbnail(8, 8)) }
                #expect(error?.code == .badImageData, "\(count) bytes of \(name)")
            }
        }
    }

    @Test func componentsInScansOfTheirOwn() throws {
        // A scan of its own for each component; without the last one the picture is not whole.
        let image = try picture(PixelSize(16, 16), alpha: .opaque) { x, y in PixelColor(UInt8(x * 16), UInt8(y * 16), 9)
        }
        let data = try [UInt8](JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions()))
        let scan = try #require(data.indices.first { data[$0] == 0xFF && data[$0 + 1] == 0xDA })
        // The one interleaved scan now claims to be of the first component alone.
        let single: [UInt8] = [0xFF, 0xDA, 0, 8, 1, data[scan + 5], data[scan + 6], 0, 63, 0]
        let cut = Data(data[..<scan] + single + data[(scan + 14)...].dropLast(2))
        #expect(failure { _ = try JPEGCoder().decode(cut, options: DecodeOptions()) }?.code == .badImageData)
    }

    @Test func thumbnailsOfEveryTransformScaleAreAlike() throws {
        let image = try picture(PixelSize(640, 480), alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 255 / 639), UInt8(y * 255 / 479), 128)
        }
        let data = try JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions(quality: 1))
        for width in [320, 300, 160, 159, 80, 40, 39, 10] {
            let thumbnail = try JPEGCoder().decode(data, options: .thumbnail(Double(width), 1000))
            #expect(thumbnail.pixelSize.width == width)
            let last = PixelSize(width - 1, thumbnail.pixelSize.height - 1)
            for (x, y) in [(0, 0), (last.width, 0), (0, last.height), (last.width, last.height)] {
                let expected = PixelColor(
                    UInt8((Double(x) + 0.5) / Double(width) * 255),
                    UInt8((Double(y) + 0.5) / Double(last.height + 1) * 255), 128)
                #expect(expected.distance(to: thumbnail.pixels.color(x: x, y: y)) <= 8, "\(width) wide, at \(x),\(y)")
            }
        }
    }

    @Test func qualityChoosesTheColourSampling() throws {
        let image = try picture(PixelSize(16, 16), alpha: .opaque) { x, _ in x % 2 == 0 ? .fullRed : .fullBlue }
        func samplingFactor(_ quality: Double) throws -> UInt8 {
            let data = try [UInt8](JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions(quality: quality)))
            let frame = try #require(data.indices.first { data[$0] == 0xFF && data[$0 + 1] == 0xC0 })
            return data[frame + 11]
        }
        #expect(try samplingFactor(0.89) == 0x22)
        #expect(try samplingFactor(0.9) == 0x11)
        for quality in [-1, 0, 1, 7, Double.nan, .infinity, -.infinity] {
            let data = try JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions(quality: quality))
            #expect(try JPEGCoder().decode(data, options: DecodeOptions()).pixelSize == PixelSize(16, 16))
        }
    }

    @Test func transparencyShowsTheBackground() throws {
        let image = try picture(PixelSize(16, 16), alpha: .premultiplied) { x, _ in
            x < 8 ? .clear : PixelColor(255, 0, 0, 128)
        }
        let options = EncodeOptions(quality: 1, backgroundColor: PixelColor(0, 100, 200))
        let data = try JPEGCoder().encode(image, to: .jpeg, options: options)
        let pixels = try JPEGCoder().decode(data, options: DecodeOptions()).pixels
        #expect(PixelColor(0, 100, 200).distance(to: pixels.color(x: 2, y: 8)) <= 3)
        #expect(PixelColor(128, 50, 100).distance(to: pixels.color(x: 13, y: 8)) <= 3)
    }

    @Test func scansWithoutEndAreRefused() throws {
        let data = try [UInt8](fixture("progressive.jpg"))
        let lastScan = try #require(
            data.indices.last { data[$0] == 0xFF && $0 + 1 < data.count && data[$0 + 1] == 0xDA })
        let scan = Array(data[lastScan..<data.count - 2])
        let bomb = Data(data[..<lastScan] + Array(repeating: scan, count: 600).flatMap { $0 } + [0xFF, 0xD9])
        let error = failure { _ = try JPEGCoder().decode(bomb, options: DecodeOptions()) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("scans") == true)
    }

    @Test func aPictureTooLargeForTheFormatIsNotWritten() throws {
        let image = try picture(PixelSize(65_501, 1), alpha: .opaque) { _, _ in .fullRed }
        let error = failure { _ = try JPEGCoder().encode(image, to: .jpeg, options: EncodeOptions()) }
        #expect(error?.code == .encodingFailed)
    }
}
