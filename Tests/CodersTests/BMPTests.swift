import Foundation
import Testing
import WebImageBMP
import WebImageCore
import WebImageGdkPixbuf
import WebImagePixels

@Suite struct BMPTests {
    private let coder = BMPCoder()
    private static let red = PixelColor(255, 0, 0)
    private static let green = PixelColor(0, 255, 0)
    private static let blue = PixelColor(0, 0, 255)
    private static let clear = PixelColor(0, 0, 0, 0)

    private func rarer(_ name: String) throws -> Data { try fixture("../rarer/\(name)") }

    private func straight(_ data: Data) throws -> PixelBuffer {
        var options = DecodeOptions()
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels
    }

    // MARK: Kinds

    @Test(arguments: ["rgb24.bmp", "palette8.bmp"])
    func exactColours(_ name: String) throws {
        let pixels = try straight(rarer(name))
        #expect(pixels.alpha == .opaque)
        #expect(pixels.allColors == (0..<6).flatMap { y in (0..<9).map { Self.rule($0, y) } })
    }

    private static func rule(_ x: Int, _ y: Int) -> PixelColor {
        PixelColor(UInt8(x * 28), UInt8(y * 50), UInt8((x * 7 + y * 13) % 256))
    }

    @Test func bilevel() throws {
        let pixels = try straight(rarer("bilevel.bmp"))
        #expect((0..<9).map { pixels.color(x: $0, y: 3)?.red } == (0..<9).map { ($0 + 3) % 2 == 0 ? 255 : 0 })
    }

    @Test("Numbers of 1, 2, 4 and 8 bits; the leftmost pixel has the highest bits", arguments: [1, 2, 4, 8])
    func numbers(_ bits: Int) throws {
        let rows: [Int: [UInt8]] = [1: [0b0110_0000], 2: [0b0001_1011], 4: [0x01, 0x23], 8: [0, 1, 2, 3]]
        let row = try #require(rows[bits])
        let padded = row + [UInt8](repeating: 0, count: 4 - row.count)
        let file = BMPFile(
            width: bits == 1 ? 3 : 4, height: 1, bits: bits,
            palette: Array(BMPFile.palette.prefix(bits == 1 ? 8 : 16)), colorCount: bits == 1 ? 2 : 4, pixels: padded)
        let expected = bits == 1 ? [Self.red, Self.green, Self.green] : [Self.red, Self.green, Self.blue, .white]
        #expect(try straight(file.data).allColors == expected)
    }

    @Test("A palette shorter than its numbers is black behind its end")
    func shortPalette() throws {
        let file = BMPFile(
            width: 4, height: 1, bits: 8, palette: Array(BMPFile.palette.prefix(8)), colorCount: 2,
            pixels: [0, 1, 2, 255])
        #expect(try straight(file.data).allColors == [Self.red, Self.green, .black, .black])
    }

    @Test("OS/2 1, with 3 bytes a colour, and a short header of OS/2 2")
    func os2() throws {
        let colors: [UInt8] = [0, 0, 255, 0, 255, 0]
        let core = BMPFile(
            width: 2, height: 1, bits: 1, headerByteCount: 12, palette: colors, pixels: [0b0100_0000, 0, 0, 0])
        #expect(try straight(core.data).allColors == [Self.red, Self.green])
        let short = BMPFile(width: 1, height: 1, bits: 24, headerByteCount: 16, pixels: [0, 255, 0])
        #expect(try straight(short.data).allColors == [Self.green])
    }

    @Test("Rows from top to bottom, and the last one without its padding")
    func rowOrder() throws {
        let rows: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0]
        let upward = BMPFile(width: 1, height: 2, bits: 24, pixels: rows)
        #expect(try straight(upward.data).allColors == [Self.green, Self.red])
        let downward = BMPFile(width: 1, height: -2, bits: 24, pixels: rows.dropLast())
        #expect(try straight(downward.data).allColors == [Self.red, Self.green])
    }

    @Test("Samples of any width are rounded to 8 bits")
    func masks() throws {
        let plain = BMPFile(width: 2, height: 1, bits: 16, pixels: [0xFF, 0x7F, 0x01, 0x00])
        #expect(try straight(plain.data).allColors == [.white, PixelColor(0, 0, 8)])
        let narrow = BMPFile(
            width: 2, height: 1, bits: 16, compression: 3, masks: [0x3, 0x1C, 0x20], pixels: [0x26, 0, 0x09, 0])
        #expect(try straight(narrow.data).allColors == [PixelColor(170, 36, 255), PixelColor(85, 73, 0)])
        let wide = BMPFile(
            width: 1, height: 1, bits: 32, compression: 3, masks: [0xFFFF_0000, 0xFFFF, 0],
            pixels: [0x00, 0x80, 0xFF, 0xFF])
        #expect(try straight(wide.data).allColors == [PixelColor(255, 128, 0)])
    }

    // MARK: Alpha

    @Test("Alpha counts where a mask declares it", arguments: [(40, 6), (56, 3), (108, 3), (124, 3)])
    func alpha(_ headerByteCount: Int, _ compression: Int) throws {
        let data = BMPFile.masked(
            [0, 0, 255, 128, 0, 255, 0, 0], headerByteCount: headerByteCount, compression: compression)
        #expect(try coder.probe(data).hasAlpha)
        #expect(try straight(data).allColors == [PixelColor(255, 0, 0, 128), PixelColor(0, 255, 0, 0)])
        #expect(try coder.decode(data).pixels.alpha == .premultiplied)
    }

    @Test("Alpha of 0 everywhere means nothing, and so does a fourth byte without a mask")
    func noAlpha() throws {
        let zeros = BMPFile.masked([0, 0, 255, 0, 0, 255, 0, 0])
        let unmasked = BMPFile(width: 2, height: 1, bits: 32, pixels: [0, 0, 255, 9, 0, 255, 0, 0]).data
        for data in [zeros, unmasked] {
            let pixels = try straight(data)
            #expect(pixels.alpha == .opaque && pixels.allColors == [Self.red, Self.green])
        }
        #expect(try !coder.probe(unmasked).hasAlpha)
    }

    // MARK: Run lengths

    @Test("RLE8: runs and pixels, bottom row first, and the same rows from top to bottom")
    func rle8() throws {
        let codes: [UInt8] = [2, 0, 1, 1, 0, 0, 0, 3, 2, 1, 0, 0, 0, 1]
        let (low, high) = ([Self.red, Self.red, Self.green], [Self.blue, Self.green, Self.red])
        for (height, expected) in [(Int32(2), high + low), (-2, low + high)] {
            let data = BMPFile.runs(8, (3, height), codes)
            let pixels = try straight(data)
            #expect(pixels.alpha == .opaque && pixels.allColors == expected)
            #expect(try !coder.probe(data).hasAlpha)
        }
    }

    @Test("RLE4: a run takes turns between two colours")
    func rle4() throws {
        let data = BMPFile.runs(4, (5, 1), [3, 0x01, 0, 3, 0x23, 0x10, 0, 1])
        // The three pixels reach behind the row's end.
        let expected = [Self.red, Self.green, Self.red, Self.blue, .white]
        #expect(try straight(data).allColors == expected)
    }

    @Test("Gaps between runs are transparent")
    func gaps() throws {
        let data = BMPFile.runs(8, (3, 4), [1, 0, 0, 2, 1, 2, 1, 1, 0, 0, 0, 0, 0, 1])
        let pixels = try straight(data)
        #expect(try coder.probe(data).hasAlpha)
        #expect(pixels.alpha == .straight)
        var expected = [PixelColor](repeating: Self.clear, count: 12)
        (expected[9], expected[5]) = (Self.red, Self.green)
        #expect(pixels.allColors == expected)
    }

    @Test("Run lengths that end before the picture does are an error, and those that only lack the end mark are not")
    func cutRuns() throws {
        #expect(failure { _ = try coder.decode(BMPFile.runs(8, (3, 2), [3, 0, 0, 0, 1])) }?.code == .badImageData)
        #expect(
            failure { _ = try coder.decode(BMPFile.runs(8, (3, 1), [0, 3, 0])) }?.message.contains("truncated") == true)
        #expect(try coder.decode(BMPFile.runs(8, (3, 1), [3, 0])).pixels.alpha == .opaque)
    }

    // MARK: What is not read

    @Test(
        "Kinds that are not read are named",
        arguments: [
            (40, 4, 0, "an embedded JPEG"), (40, 5, 0, "an embedded PNG"), (64, 4, 24, "run lengths of 24 bits"),
            (64, 3, 1, "Huffman"), (40, 11, 32, "CMYK"),
        ])
    func refused(_ headerByteCount: Int, _ compression: Int, _ bits: Int, _ name: String) {
        let file = BMPFile(
            width: 1, height: 1, bits: bits, compression: compression, headerByteCount: headerByteCount,
            pixels: [0, 0, 0, 0])
        for error in [
            failure { _ = try coder.decode(file.data) }, failure { _ = try coder.probe(file.data) },
        ] {
            #expect(error?.code == .badImageData && error?.message.contains(name) == true, "\(error?.message ?? "")")
        }
    }

    @Test("Depths and headers of no known kind", arguments: [(40, 0, 7), (40, 1, 4), (41 + 24, 0, 24), (40, 9, 8)])
    func unknown(_ headerByteCount: Int, _ compression: Int, _ bits: Int) {
        let file = BMPFile(
            width: 1, height: 1, bits: bits, compression: compression, headerByteCount: headerByteCount,
            pixels: [0, 0, 0, 0])
        #expect(failure { _ = try coder.decode(file.data) }?.message.contains("bmp is damaged") == true)
    }

    // MARK: Colour

    @Test("A profile is read, applied, and never followed to another file")
    func profile() throws {
        let profile = [UInt8](try fixture("swapped_rg.icc"))
        func file(_ space: String) -> Data {
            let place = littleEndian(124 + 4) + littleEndian(UInt32(profile.count))
            return BMPFile(
                width: 1, height: 1, bits: 24, headerByteCount: 124, pixels: [0, 0, 255, 0] + profile,
                fields: [56: Array(space.utf8), 112: place]
            ).data
        }
        #expect(try coder.metadata(of: file("DEBM"), limits: DecodeLimits()).colorProfile == Data(profile))
        #expect(try coder.decode(file("DEBM")).pixels.allColors == [Self.green])
        #expect(try coder.decode(file("KNIL")).pixels.allColors == [Self.red])
        #expect(try coder.metadata(of: file("KNIL"), limits: DecodeLimits()).isEmpty)
        var options = DecodeOptions()
        options.colorConversion = .none
        #expect(try coder.decode(file("DEBM"), options: options).pixels.allColors == [Self.red])
    }

    @Test("A gamma and chromaticities are applied; zeros are none")
    func calibrated() throws {
        func file(gamma: Double) -> BMPFile {
            var file = BMPFile(width: 1, height: 1, bits: 24, headerByteCount: 108, pixels: [128, 128, 128])
            // sRGB's primaries.
            let axes = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505]
            file.fields[60] = axes.flatMap { littleEndian(UInt32($0 * 1_073_741_824)) }
            file.fields[96] = (0..<3).flatMap { _ in littleEndian(UInt32(gamma * 65_536)) }
            return file
        }
        let light = try #require(try coder.decode(file(gamma: 1).data).pixels.color(x: 0, y: 0))
        // 128/255 of the light is 188 in sRGB.
        #expect(light.distance(to: PixelColor(188, 188, 188)) <= 1)
        let usual = try #require(try coder.decode(file(gamma: 2.2).data).pixels.color(x: 0, y: 0))
        #expect(usual.distance(to: PixelColor(128, 128, 128)) <= 1)
        #expect(try coder.decode(file(gamma: 0).data).pixels.color(x: 0, y: 0) == PixelColor(128, 128, 128))
    }

    // MARK: Writing

    @Test("CO-25 what is written is read again, exactly", arguments: [false, true])
    func CO_25_roundTrip(_ isOpaque: Bool) throws {
        let image = try picture(PixelSize(5, 3), alpha: isOpaque ? .opaque : .straight) { x, y in
            PixelColor(UInt8(x * 50), UInt8(y * 80), 7, isOpaque ? 255 : UInt8(255 - x * 60))
        }
        var options = EncodeOptions()
        let plain = try coder.encode(image, to: .bmp, options: options)
        #expect(plain.count == (isOpaque ? 54 + 16 * 3 : 138 + 20 * 3))
        #expect(try straight(plain).allColors == image.pixels.allColors)
        options.metadata.colorProfile = try fixture("swapped_rg.icc")
        let described = try coder.encode(image, to: .bmp, options: options)
        #expect(
            try coder.metadata(of: described, limits: DecodeLimits()).colorProfile == options.metadata.colorProfile)
        #expect(try coder.decode(described).pixels.color(x: 4, y: 0) != image.pixels.color(x: 4, y: 0))
    }

    @Test func theFirstAddedIsAskedLast() throws {
        #expect(try CodersManager([.gdkPixbuf, .bmp]).decode(rarer("rgb24.bmp")).attributes.format == .bmp)
        #expect(failure { _ = try CodersManager([.gdkPixbuf]).decode(rarer("rgb24.bmp")) }?.code == .unknownFormat)
    }
}
