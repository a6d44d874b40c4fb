import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTIFF

@Suite struct TIFFTests {
    private let coder = TIFFCoder()

    private func straight(_ data: Data) throws -> PixelBuffer {
        var options = DecodeOptions()
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels
    }

    // MARK: Samples

    @Test(arguments: [1, 2, 4, 8, 10, 12, 16], [0, 1])
    func grayOfEveryDepth(_ bits: Int, _ photometric: Int) throws {
        let maximum = (1 << bits) - 1
        for isBigEndian in [false, true] {
            var file = TIFFFile(photometric: photometric, bits: bits, samples: 1, isBigEndian: isBigEndian)
            file.sample = { x, y, _ in (x * 9973 + y * 77) % (maximum + 1) }
            let pixels = try straight(file.data)
            #expect(pixels.alpha == .opaque)
            for y in 0..<6 {
                for x in 0..<9 {
                    let level = UInt8((Double(file.sample(x, y, 0)) / Double(maximum) * 255).rounded())
                    let gray = photometric == 0 ? 255 - level : level
                    #expect(pixels.color(x: x, y: y) == PixelColor(gray, gray, gray))
                }
            }
        }
    }

    @Test("B33 16-bit samples are rounded, not cut or swapped")
    func B33_sixteenBits() throws {
        let values = [0, 0x00FF, 0x1234, 0x7FFF, 0xFF00, 0xFFFF]
        for isBigEndian in [false, true] {
            var file = TIFFFile(size: PixelSize(6, 1), photometric: 1, bits: 16, samples: 1, isBigEndian: isBigEndian)
            file.sample = { x, _, _ in values[x] }
            #expect(try straight(file.data).allColors.map { $0?.red } == [0, 1, 18, 127, 254, 255])
        }
    }

    struct Shape: Sendable, CustomTestStringConvertible {
        var isBigEndian = false
        var isBigTIFF = false
        var isPlanar = false
        var tile: PixelSize?

        var testDescription: String {
            let words = [
                isBigEndian ? "MM" : "II", isBigTIFF ? "big" : "", isPlanar ? "planar" : "",
                tile.map { "\($0)" } ?? "",
            ]
            return words.filter { !$0.isEmpty }.joined(separator: " ")
        }

        static let all =
            [false, true].flatMap { isBigEndian in
                [false, true].flatMap { isPlanar in
                    [nil, PixelSize(16, 16)].map { Shape(isBigEndian: isBigEndian, isPlanar: isPlanar, tile: $0) }
                }
            } + [Shape(isBigTIFF: true), Shape(isBigEndian: true, isBigTIFF: true, tile: PixelSize(16, 16))]

        func file(photometric: Int, bits: Int, samples: Int) -> TIFFFile {
            TIFFFile(
                photometric: photometric, bits: bits, samples: samples, isBigEndian: isBigEndian,
                isBigTIFF: isBigTIFF, isPlanar: isPlanar, tile: tile)
        }
    }

    @Test(arguments: Shape.all)
    func stripsTilesAndPlanes(_ shape: Shape) throws {
        var file = shape.file(photometric: 2, bits: 8, samples: 3)
        expectRule(try straight(file.data))
        file.size = PixelSize(9, 6)
        let rule = file.sample
        file.bits = 16
        file.sample = { rule($0, $1, $2) * 257 }
        expectRule(try straight(file.data))
    }

    @Test(arguments: Shape.all)
    func unassociatedAlphaStaysAsItIs(_ shape: Shape) throws {
        var file = shape.file(photometric: 2, bits: 8, samples: 4)
        file.extraSamples = [2]
        expectRule(try straight(file.data), hasAlpha: true)
        #expect(try coder.probe(file.data).hasAlpha)
        // Whoever leaves the tag out means alpha; who calls the sample unspecified does not.
        file.extraSamples = nil
        expectRule(try straight(file.data), hasAlpha: true)
        file.extraSamples = [0]
        expectRule(try straight(file.data))
        #expect(try !coder.probe(file.data).hasAlpha)
    }

    @Test(arguments: [8, 16])
    func associatedAlphaIsDividedOut(_ bits: Int) throws {
        let scale = bits == 8 ? 1 : 257
        var file = TIFFFile(bits: bits, samples: 4, extraSamples: [1])
        file.sample = { x, y, channel in channel == 3 ? x * 31 * scale : [x * 31, x * 31 / 2, 0][channel] * scale }
        let pixels = try straight(file.data)
        #expect(pixels.color(x: 0, y: 0)?.alpha == 0)
        for x in 1..<9 {
            let color = try #require(pixels.color(x: x, y: 3))
            #expect([color.red, color.blue, color.alpha] == [255, 0, UInt8(x * 31)])
            #expect(abs(Int(color.green) - 255 * (x * 31 / 2) / (x * 31)) <= 1)
        }
        // And given back as it was.
        let premultiplied = try coder.decode(file.data).pixels
        premultiplied.withUnsafeRow(2) { row in
            for x in 1..<9 { #expect(row[x * 4] == UInt8(x * 31) && row[x * 4 + 1] == UInt8(x * 31 / 2)) }
        }
    }

    @Test func grayWithAlpha() throws {
        var file = TIFFFile(photometric: 1, samples: 2, extraSamples: [2])
        file.sample = { x, y, channel in channel == 0 ? 200 : 100 + x }
        #expect(try straight(file.data).color(x: 4, y: 1) == PixelColor(200, 200, 200, 104))
        file.photometric = 0
        #expect(try straight(file.data).color(x: 4, y: 1) == PixelColor(55, 55, 55, 104))
    }

    @Test(arguments: Shape.all)
    func cmykByThePlainFormula(_ shape: Shape) throws {
        var file = shape.file(photometric: 5, bits: 8, samples: 4)
        file.sample = { _, _, channel in [0, 255, 100, 51][channel] }
        #expect(try straight(file.data).color(x: 8, y: 5) == PixelColor(204, 0, 124))
    }

    @Test(arguments: [1, 2, 4, 8])
    func palettes(_ bits: Int) throws {
        let count = 1 << bits
        var file = TIFFFile(photometric: 3, bits: bits, samples: 1)
        file.sample = { x, y, _ in (x + y) % count }
        for scale in [257, 256, 1] {
            file.palette = (0..<count).map { $0 * scale } + Array(repeating: 7 * scale, count: 2 * count)
            let color = try #require(try straight(file.data).color(x: 1, y: 0))
            #expect(color == PixelColor(1, 7, 7))
        }
    }

    // MARK: Compressions

    @Test(arguments: ["rgb_lzw_predictor", "rgb_deflate", "palette_lzw"])
    func lossless(_ name: String) throws {
        expectRule(try straight(fixture("../rarer/\(name).tiff")))
    }

    @Test func otherCompressions() throws {
        let gray = try straight(fixture("../rarer/gray_packbits.tiff"))
        #expect((0..<9).map { gray.color(x: $0, y: 4)?.red } == (0..<9).map { UInt8($0 * 28) })
        let bilevel = try straight(fixture("../rarer/bilevel_g4.tiff"))
        #expect((0..<9).map { bilevel.color(x: $0, y: 3)?.red } == (0..<9).map { ($0 + 3) % 2 == 0 ? 255 : 0 })
        let flat = try straight(fixture("../rarer/ycbcr_jpeg.tiff"))
        #expect(flat.color(x: 8, y: 5)?.distance(to: PixelColor(200, 100, 50)) ?? 255 <= 3)
    }

    // MARK: Beside the pixels

    @Test("B30 the orientation is applied once", arguments: 1...8)
    func B30_orientation(_ value: Int) throws {
        for tile in [nil, PixelSize(16, 16)] {
            var file = TIFFFile(size: PixelSize(32, 16), tile: tile, orientation: value)
            // Quarters: red, green, blue, white.
            let quarters = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
            file.sample = { x, y, channel in quarters[(x < 16 ? 0 : 1) + (y < 8 ? 0 : 2)][channel] }
            let pixels = try straight(file.data)
            let size = value < 5 ? PixelSize(32, 16) : PixelSize(16, 32)
            #expect(pixels.size == size)
            #expect(try coder.probe(file.data).size == size)
            let corners = [(0, 0), (size.width - 1, 0), (0, size.height - 1), (size.width - 1, size.height - 1)]
            let names: [PixelColor: String] = [.fullRed: "R", .fullGreen: "G", .fullBlue: "B", .white: "W"]
            let seen = corners.map { pixels.color(x: $0.0, y: $0.1).flatMap { names[$0] } ?? "?" }.joined()
            #expect(seen == ["RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"][value - 1])
            let thumbnail = try coder.decode(file.data, options: .thumbnail(8, 8)).pixels
            #expect(thumbnail.size == (value < 5 ? PixelSize(8, 4) : PixelSize(4, 8)))
        }
    }

    @Test("B35 the colour profile is applied, and only when asked for")
    func B35_profile() throws {
        let profile = [UInt8](try fixture("swapped_rg.icc"))
        var file = TIFFFile(blocks: [34675: profile])
        file.sample = { _, _, channel in channel == 0 ? 255 : 0 }
        let converted = try straight(file.data)
        #expect(converted.color(x: 4, y: 4)?.distance(to: .fullGreen) ?? 255 <= 3)
        var options = DecodeOptions()
        options.colorConversion = .none
        #expect(try coder.decode(file.data, options: options).pixels.color(x: 4, y: 4) == .fullRed)
        file.photometric = 1
        file.samples = 1
        file.sample = { _, _, _ in 128 }
        #expect(try straight(file.data).color(x: 0, y: 0) == PixelColor(128, 128, 128))
    }

    @Test func metadata() throws {
        let xmp = Array("<x:xmpmeta/>".utf8)
        for isBigEndian in [false, true] {
            for isBigTIFF in [false, true] {
                var file = TIFFFile(isBigEndian: isBigEndian, isBigTIFF: isBigTIFF)
                file.blocks = [700: xmp, 33723: [28, 2, 5, 0, 1, 65], 34675: [UInt8](repeating: 9, count: 200)]
                let metadata = try coder.metadata(of: file.data, limits: DecodeLimits())
                #expect(metadata.xmp.map { [UInt8]($0) } == xmp)
                #expect(metadata.iptc.map { [UInt8]($0) } == [28, 2, 5, 0, 1, 65])
                #expect(metadata.colorProfile?.count == 200)
                #expect(metadata.exif == nil)
                var limits = DecodeLimits()
                limits.maxMetadataByteCount = 205
                let few = try coder.metadata(of: file.data, limits: limits)
                #expect(few.colorProfile?.count == 200 && few.xmp == nil)
            }
        }
    }

    @Test func exifIsPutTogether() throws {
        for isBigEndian in [false, true] {
            var file = TIFFFile(isBigEndian: isBigEndian, orientation: 6, pointers: [34665: 0])
            file.blocks = [271: Array("Maker of things\0".utf8)]
            let plain = [UInt8](file.data)
            // A directory of one entry behind the file: the exposure time, a fraction elsewhere.
            let start = plain.count + plain.count % 2
            let number = { (value: Int, count: Int) -> [UInt8] in
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return isBigEndian ? bytes.reversed() : bytes
            }
            file.pointers = [34665: start]
            let exposure = number(33434, 2) + number(5, 2) + number(1, 4) + number(start + 18, 4)
            let details = number(1, 2) + exposure + number(0, 4) + number(1, 4) + number(250, 4)
            let data = file.data + [UInt8](repeating: 0, count: plain.count % 2) + details
            let block = try #require(try coder.metadata(of: data, limits: DecodeLimits()).exif)
            #expect(block.starts(with: isBigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]))
            #expect(block.range(of: Data("Maker of things".utf8)) != nil)
            #expect(block.range(of: Data(number(1, 4) + number(250, 4))) != nil)
            #expect(Orientation(exifBlock: block) == .right)
            #expect(EXIFTags(block)?.exposureTime == 1.0 / 250)
            var limits = DecodeLimits()
            limits.maxMetadataByteCount = 20
            #expect(try coder.metadata(of: data, limits: limits).exif == nil)
        }
    }

    @Test func thumbnailsOfEveryKind() throws {
        for name in ["rgb_deflate", "gray_packbits", "bilevel_g4", "palette_lzw", "ycbcr_jpeg"] {
            let image = try coder.decode(fixture("../rarer/\(name).tiff"), options: .thumbnail(3, 3))
            #expect(image.pixelSize == PixelSize(3, 2))
            #expect(image.attributes.isThumbnail)
        }
    }

    private func expectRule(
        _ pixels: PixelBuffer, hasAlpha: Bool = false, _ location: SourceLocation = #_sourceLocation
    ) {
        let rule = TIFFFile().sample
        #expect(pixels.size == PixelSize(9, 6), sourceLocation: location)
        let expected = (0..<6).flatMap { y in
            (0..<9).map { x -> PixelColor? in
                let values = (0..<4).map { UInt8(rule(x, y, $0)) }
                return PixelColor(values[0], values[1], values[2], hasAlpha ? values[3] : 255)
            }
        }
        #expect(pixels.allColors == expected, sourceLocation: location)
    }
}
