import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTIFF

/// Further pictures of a file, samples that are no small integers, and what the first directory says.
@Suite struct TIFFPagesTests {
    private let coder = TIFFCoder()

    private func color(_ data: Data, page: Int = 0, x: Int = 0) throws -> PixelColor? {
        var options = DecodeOptions(frameIndex: page)
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels.color(x: x, y: 0)
    }

    // MARK: Pages

    private static func page(_ size: PixelSize, gray: Int, _ base: TIFFFile = TIFFFile()) -> TIFFFile {
        var page = base
        (page.size, page.photometric, page.samples) = (size, 1, 1)
        page.sample = { _, _, _ in gray }
        return page
    }

    @Test(arguments: [false, true], [false, true])
    func pagesAreChosenByIndex(_ isBigEndian: Bool, _ isBigTIFF: Bool) throws {
        let base = TIFFFile(isBigEndian: isBigEndian, isBigTIFF: isBigTIFF)
        // The third is a smaller copy of the second, and no page.
        var copy = Self.page(PixelSize(2, 2), gray: 9, base)
        copy.pointers = [254: 1]
        let data = TIFFFile.data(of: [
            Self.page(PixelSize(5, 4), gray: 10, base), Self.page(PixelSize(7, 3), gray: 20, base), copy,
            Self.page(PixelSize(4, 6), gray: 30, base),
        ])
        let probe = try coder.probe(data)
        #expect(probe.pageCount == 3 && probe.frameCount == 1 && probe.size == PixelSize(5, 4))
        for (index, size, gray) in [(0, PixelSize(5, 4), 10), (1, PixelSize(7, 3), 20), (2, PixelSize(4, 6), 30)] {
            let image = try coder.decode(data, options: DecodeOptions(frameIndex: index))
            #expect(image.pixelSize == size && image.attributes.frameCount == 1)
            let level = UInt8(gray)
            #expect(image.pixels.color(x: 1, y: 1) == PixelColor(level, level, level))
        }
        for index in [-1, 3, .max] {
            let error = failure { _ = try coder.decode(data, options: DecodeOptions(frameIndex: index)) }
            #expect(error?.code == .badImageData && error?.message.contains("3 page(s)") == true)
        }
        let one = try coder.decode(data, options: .thumbnail(2, 2))
        #expect(one.pixelSize.width == 2)
    }

    @Test func oneCopyAloneIsAPage() throws {
        var copy = Self.page(PixelSize(2, 2), gray: 9)
        copy.pointers = [254: 1]
        #expect(try coder.probe(copy.data).pageCount == 1)
        #expect(try color(copy.data) == PixelColor(9, 9, 9))
    }

    @Test("B34 a chain of directories that leads back, out of the file or on for ever ends")
    func B34_chains() throws {
        let data = TIFFFile.data(of: [Self.page(PixelSize(5, 4), gray: 1), Self.page(PixelSize(5, 4), gray: 2)])
        let first = Int(data[4]) | Int(data[5]) << 8
        // The last four bytes are the link of the last directory.
        for target in [first, 8, data.count - 4, data.count, 0xFFFF_FFFF] {
            var bytes = data
            bytes.replaceSubrange(data.count - 4..<data.count, with: (0..<4).map { UInt8(target >> ($0 * 8) & 255) })
            #expect(try (2...3).contains(coder.probe(bytes).pageCount), "\(target)")
            #expect(try color(bytes, page: 1) == PixelColor(2, 2, 2))
        }
        let many = TIFFFile.data(of: Array(repeating: Self.page(PixelSize(1, 1), gray: 7), count: 50))
        var options = DecodeOptions(frameIndex: 49)
        #expect(try coder.decode(many, options: options).pixelSize == PixelSize(1, 1))
        options.limits.maxFrameCount = 49
        #expect(failure { _ = try coder.decode(many, options: options) }?.code == .badImageData)
    }

    @Test func everyPrefixAndFlippedBitOfPages() throws {
        let data = TIFFFile.data(of: [Self.page(PixelSize(5, 4), gray: 1), Self.page(PixelSize(6, 4), gray: 2)])
        var options = DecodeOptions.small
        options.frameIndex = 1
        // The last four bytes say that no page follows.
        for count in 0..<data.count - 4 {
            #expect(failure { _ = try coder.decode(data.prefix(count), options: options) } != nil, "\(count) bytes")
        }
        for bytes in flippedBits(of: data, count: data.count * 8) {
            guard let error = failure(of: { _ = try coder.decode(bytes, options: options) }) else { continue }
            #expect(error.message.contains("tiff"))
        }
    }

    // MARK: Samples

    /// Numbers, and what they are in 8 bits.
    private static let levels: [(Double, UInt8)] = [
        (0, 0), (1, 255), (0.5, 128), (0.25, 64), (-3, 0), (7, 255), (.infinity, 255), (-.infinity, 0), (.nan, 0),
        (0.003, 1),
    ]

    @Test(arguments: [16, 32, 64], [false, true])
    func floats(_ bits: Int, _ isBigEndian: Bool) throws {
        var file = TIFFFile(
            size: PixelSize(Self.levels.count, 2), photometric: 1, bits: bits, samples: 1, sampleFormat: 3,
            isBigEndian: isBigEndian)
        file.sample = { x, _, _ in
            let value = Self.levels[x].0
            switch bits {
            case 16: return Int(Float16(value).bitPattern)
            case 32: return Int(Float(value).bitPattern)
            default: return Int(truncatingIfNeeded: value.bitPattern)
            }
        }
        for photometric in [1, 0] {
            file.photometric = photometric
            for (x, level) in Self.levels.map(\.1).enumerated() {
                let gray = photometric == 1 ? level : 255 - level
                #expect(try color(file.data, x: x) == PixelColor(gray, gray, gray), "\(Self.levels[x].0)")
            }
        }
    }

    @Test(arguments: [false, true], [nil, PixelSize(16, 16)])
    func floatsInPlanesAndTilesWithAlpha(_ isPlanar: Bool, _ tile: PixelSize?) throws {
        var file = TIFFFile(bits: 32, samples: 4, sampleFormat: 3, isPlanar: isPlanar, tile: tile, extraSamples: [2])
        file.sample = { x, y, channel in Int(Float([Double(x) / 8, Double(y) / 5, 0.2, 0.6][channel]).bitPattern) }
        var options = DecodeOptions()
        options.alpha = .straight
        let pixels = try coder.decode(file.data, options: options).pixels
        #expect(pixels.color(x: 8, y: 5) == PixelColor(255, 255, 51, 153))
        #expect(pixels.color(x: 0, y: 0) == PixelColor(0, 0, 51, 153))
        file.extraSamples = [1]
        // Multiplied by alpha already: divided out, and clamped.
        #expect(try coder.decode(file.data, options: options).pixels.color(x: 8, y: 0) == PixelColor(255, 0, 85, 153))
    }

    @Test func integersOf32Bits() throws {
        var file = TIFFFile(size: PixelSize(4, 1), photometric: 1, bits: 32, samples: 1)
        file.sample = { x, _, _ in [0, 0xFFFF_FFFF, 0x8000_0000, 0x0101_0101][x] }
        for (x, gray) in [UInt8(0), 255, 128, 1].enumerated() {
            #expect(try color(file.data, x: x) == PixelColor(gray, gray, gray))
        }
    }

    @Test func samplesWithASignAreRefused() throws {
        for (bits, format) in [(32, 2), (64, 6), (24, 3)] {
            let file = TIFFFile(photometric: 1, bits: bits, samples: 1, sampleFormat: format)
            let error = failure { _ = try coder.decode(file.data) }
            #expect(error?.code == .badImageData && error?.message.contains("tiff") == true)
        }
    }

    // MARK: Metadata

    @Test(arguments: [false, true], [false, true])
    func whatTheFirstDirectorySays(_ isBigEndian: Bool, _ isBigTIFF: Bool) throws {
        var file = TIFFFile(isBigEndian: isBigEndian, isBigTIFF: isBigTIFF, orientation: 6)
        #expect(try coder.metadata(of: TIFFFile().data, limits: DecodeLimits()).exif == nil)
        file.texts = [271: "Maker", 272: "Model 1", 306: "2026:01:02 03:04:05", 315: "Someone"]
        let block = try #require(try coder.metadata(of: file.data, limits: DecodeLimits()).exif)
        let tags = try #require(EXIFTags(block))
        #expect(tags[.image, 271] == .text("Maker") && tags[.image, 272] == .text("Model 1"))
        #expect(tags[.image, 306] == .text("2026:01:02 03:04:05") && tags[.image, 315] == .text("Someone"))
        #expect(tags.tags(in: .image) == [271, 272, 274, 306, 315])
        #expect(Orientation(exifBlock: block) == .right)
        #expect(tags.tags(in: .exif).isEmpty && tags.tags(in: .gps).isEmpty)
    }
}
