import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImagePixels

@Suite struct AVIFTests {
    private let coder = AVIFCoder()

    // MARK: B36

    @Test("B36 an AVIF whose major brand is mif1 goes to the AVIF coder")
    func B36_majorBrand() throws {
        for name in ["avif_mif1_major.avif", "avif_plain.avif"] {
            let data = try fixture(name)
            #expect(modernCoders.coders.filter { $0.canDecode(data) }.map { type(of: $0) is AVIFCoder.Type } == [true])
            let pixels = try modernCoders.decode(data, options: DecodeOptions()).pixels
            #expect(pixels.size == PixelSize(64, 32))
            #expect(PixelColor.fullRed.distance(to: pixels.color(x: 2, y: 2)) <= 4)
        }
    }

    @Test("B36 the irot box turns the picture")
    func B36_rotation() throws {
        let pixels = try coder.decode(fixture("avif_irot6.avif")).pixels
        #expect(pixels.size == PixelSize(32, 64))
        #expect(PixelColor.fullBlue.distance(to: pixels.color(x: 2, y: 2)) <= 4)
    }

    @Test("B36 EXIF orientation does not turn a picture of this family")
    func B36_exifOrientation() throws {
        let pixels = try coder.decode(fixture("avif_exif6_no_irot.avif")).pixels
        #expect(pixels.size == PixelSize(64, 32))
        #expect(PixelColor.fullRed.distance(to: pixels.color(x: 2, y: 2)) <= 4)
    }

    @Test("B36 limited range and grey come out at their full values")
    func B36_limitedRange() throws {
        for conversion in [DecodeOptions.ColorConversion.sRGB, .none] {
            var options = DecodeOptions()
            options.colorConversion = conversion
            let gray = try coder.decode(fixture("avif_gray_limited.avif"), options: options).pixels
            #expect(gray.allColors.allSatisfy { PixelColor(128, 128, 128).distance(to: $0) <= 4 })
            let white = try coder.decode(fixture("avif_white_limited.avif"), options: options).pixels
            #expect(white.allColors.allSatisfy { PixelColor.white.distance(to: $0) <= 1 })
        }
    }

    // MARK: Still

    @Test func cutTurnedAndMirrored() throws {
        // Of 64×48: the middle 32×24, a quarter turn against the clock, then left for right.
        let data = try modernFixture("cropped_turned.avif")
        #expect(try coder.probe(data).size == PixelSize(24, 32))
        let pixels = try coder.decode(data).pixels
        #expect(pixels.size == PixelSize(24, 32))
        #expect(pixels.hasQuarters([.white, .fullGreen, .fullBlue, .fullRed], tolerance: 3))
    }

    @Test func alphaIsStraightOrPremultipliedAsAsked() throws {
        for name in ["faded.avif", "faded_premultiplied.avif"] {
            let straight = try modernPixels(name, .straight)
            #expect(straight.alpha == .straight)
            #expect(straight.color(x: 0, y: 0)?.alpha == 0)
            #expect(PixelColor.fullRed.distance(to: straight.color(x: 12, y: 8)) <= 3)
            #expect(PixelColor.fullGreen.distance(to: straight.color(x: 20, y: 4)) <= 3)
            #expect(PixelColor.fullBlue.distance(to: straight.color(x: 4, y: 20)) <= 3)
            #expect(PixelColor(255, 255, 255, 128).distance(to: straight.color(x: 24, y: 20)) <= 1)
            let premultiplied = try modernPixels(name)
            #expect(premultiplied.alpha == .premultiplied)
            #expect(premultiplied.distance(to: straight.withAlpha(.premultiplied)) == 0)
        }
    }

    @Test func tenBitsAndGrids() throws {
        #expect(try modernPixels("ten_bit.avif").hasQuarters(cornerColors, tolerance: 3))
        let grid = try modernPixels("grid.avif")
        #expect(grid.size == PixelSize(128, 64))
        #expect(grid.hasQuarters(cornerColors, tolerance: 3))
    }

    @Test func cellsOfAGridWithAlphaOfTheirOwn() throws {
        #expect(try coder.probe(modernFixture("alpha_by_cell.avif")).hasAlpha)
        let pixels = try modernPixels("alpha_by_cell.avif", .straight)
        #expect(pixels.size == PixelSize(128, 64))
        #expect(pixels.color(x: 4, y: 4)?.alpha == 0)
        #expect(pixels.color(x: 40, y: 4)?.alpha == 255)
        #expect(PixelColor.fullGreen.distance(to: pixels.color(x: 100, y: 10)) <= 3)
        #expect(PixelColor(255, 255, 255, 128).distance(to: pixels.color(x: 100, y: 50)) <= 1)
    }

    @Test func codePointsAreApplied() throws {
        var data = try fixture("avif_gray_limited.avif")
        let place = try #require(data.firstRange(of: Data("nclx".utf8))?.upperBound)
        // Linear light: half of it is 188 in sRGB.
        data[place + 3] = 8
        let gray = try coder.decode(data).pixels
        #expect(PixelColor(188, 188, 188).distance(to: gray.color(x: 0, y: 0)) <= 4)
        var options = DecodeOptions()
        options.colorConversion = .none
        let unconverted = try coder.decode(data, options: options).pixels
        #expect(PixelColor(128, 128, 128).distance(to: unconverted.color(x: 0, y: 0)) <= 4)
    }

    @Test func thumbnails() throws {
        let image = try coder.decode(modernFixture("grid.avif"), options: .thumbnail(32, 32))
        #expect(image.pixelSize == PixelSize(32, 16))
        #expect(image.attributes.isThumbnail)
        #expect(image.pixels.hasQuarters(cornerColors, tolerance: 8))
        let turned = try coder.decode(modernFixture("cropped_turned.avif"), options: .thumbnail(8, 8))
        #expect(turned.pixelSize == PixelSize(6, 8))
    }

    @Test func metadataBlocks() throws {
        let metadata = try coder.metadata(of: modernFixture("metadata.avif"), limits: DecodeLimits())
        #expect(metadata.exif?.starts(with: Data("II*\0".utf8)) == true)
        #expect(metadata.exif?.count == 26)
        #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self).contains("xmpmeta") } == true)
        #expect(metadata.colorProfile?.dropFirst(36).starts(with: Data("acsp".utf8)) == true)
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 100
        let small = try coder.metadata(of: modernFixture("metadata.avif"), limits: limits)
        #expect(small.colorProfile == nil && small.xmp == nil && small.exif?.count == 26)
        #expect(try coder.metadata(of: fixture("avif_plain.avif"), limits: limits).isEmpty)
    }

    // MARK: Sequences

    @Test(
        arguments: [
            ("sequence.avif", nil, 0), ("sequence_once.avif", 1, 1), ("sequence_three.avif", 3, 3),
            ("sequence_forever.avif", 0, 0),
        ] as [(String, Int?, Int)])
    func editListsTellHowOftenToPlay(_ name: String, _ stored: Int?, _ played: Int) throws {
        let data = try modernFixture(name)
        let probe = try coder.probe(data)
        #expect(probe.frameCount == 4)
        #expect(probe.loopCount == stored)
        #expect(probe.durations == [100, 200, 33, 33])
        let source = try coder.frames(of: data, options: DecodeOptions())
        #expect(source.loopCount == played)
        #expect(source.durations == [100_000, 200_000, 33_333, 33_333].map { .microseconds($0) })
        #expect(try coder.decode(data).attributes.loopCount == played)
        for turn in 0..<4 {
            #expect(try source.frame(at: turn).pixels.hasQuarters(cornerColors(turn: turn), tolerance: 3))
        }
    }

    @Test func framesInAnyOrderFromAnyThread() throws {
        try expectFramesInAnyOrder(modernFixture("sequence.avif"), of: coder)
        let still = try coder.frames(of: modernFixture("faded.avif"), options: DecodeOptions())
        #expect(still.frameCount == 1)
        #expect(try still.frame(at: 0).pixelSize == PixelSize(32, 24))
    }

    // MARK: Hostile bytes

    @Test func limitsBeforeDecoding() throws {
        var data = try modernFixture("ten_bit.avif")
        let place = try #require(data.firstRange(of: Data("ispe".utf8))?.upperBound)
        data.replaceSubrange(place + 4..<place + 12, with: bigEndian(60_000) + bigEndian(60_000))
        #expect(failure { _ = try coder.decode(data) }?.code == .limitExceeded)
        #expect(failure { _ = try coder.probe(data) }?.code == .badImageData)
        let small = DecodeOptions(limits: DecodeLimits(maxPixelCount: 64 * 48 - 1))
        let error = failure { _ = try coder.decode(modernFixture("ten_bit.avif"), options: small) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("maxPixelCount") == true)
        var frames = DecodeOptions()
        frames.limits.maxFrameCount = 3
        let sequence = try modernFixture("sequence.avif")
        #expect(failure { _ = try coder.frames(of: sequence, options: frames) }?.code == .limitExceeded)
    }

    @Test func cancelled() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let error = failure {
            _ = try coder.decode(modernFixture("sequence.avif"), options: DecodeOptions(), monitor: monitor)
        }
        #expect(error?.isCancelled == true)
    }

    @Test(arguments: ["faded.avif", "cropped_turned.avif", "metadata.avif"])
    func everyPrefixIsAnError(_ name: String) throws {
        let data = try modernFixture(name)
        for count in 0..<data.count - 1 {
            expectPictureOrNamedError(data.prefix(count), of: coder, named: .avif)
        }
        #expect(failure { _ = try coder.decode(data.prefix(data.count - 20)) }?.code == .badImageData)
    }

    @Test(arguments: ["faded_premultiplied.avif", "cropped_turned.avif", "sequence_three.avif", "grid.avif"])
    func flippedBitsDoNoHarm(_ name: String) throws {
        for data in flippedBits(of: try modernFixture(name)) {
            expectPictureOrNamedError(data, of: coder, named: .avif)
            let source = try? coder.frames(of: data, options: .small)
            for index in 0..<min(2, source?.frameCount ?? 0) { _ = try? source?.frame(at: index) }
        }
    }
}

extension AVIFTests {
    private func drawn(_ alpha: AlphaMode) throws -> DecodedImage {
        try picture(PixelSize(37, 21), alpha: alpha) { x, y in
            PixelColor(UInt8(x * 6), UInt8(y * 12), UInt8(200 - x - y), alpha == .opaque ? 255 : UInt8(255 - x * 5))
        }
    }

    @Test func losslessComesBackAsItWas() throws {
        #expect(AVIFCoder().canEncode(to: .avif) && !AVIFCoder().canEncode(to: .heic))
        for alpha in [AlphaMode.opaque, .straight] {
            let drawn = try drawn(alpha)
            let data = try AVIFCoder().encode(drawn, to: .avif, options: EncodeOptions(quality: 1))
            #expect(try AVIFCoder().probe(data).hasAlpha == (alpha == .straight))
            #expect(try AVIFCoder().decode(data, options: .straight).pixels.distance(to: drawn.pixels) == 0)
        }
    }

    @Test func lessQualityIsNearerToNothing() throws {
        let drawn = try drawn(.opaque)
        var counts: [Int] = []
        for (quality, tolerance) in [(0.95, 12), (0.8, 24), (0.3, 90)] {
            let data = try AVIFCoder().encode(drawn, to: .avif, options: EncodeOptions(quality: quality))
            let distance = try AVIFCoder().decode(data).pixels.distance(to: drawn.pixels)
            #expect(distance ?? 255 <= tolerance, "quality \(quality)")
            counts.append(data.count)
        }
        #expect(counts == counts.sorted(by: >))
    }

    @Test func blocksAreWrittenAndTheOrientationAmongThemTurnsNothing() throws {
        let blocks = try AVIFCoder().metadata(of: modernFixture("metadata.avif"), limits: DecodeLimits())
        var options = EncodeOptions(quality: 1)
        options.metadata = blocks
        let data = try AVIFCoder().encode(drawn(.opaque), to: .avif, options: options)
        #expect(try AVIFCoder().metadata(of: data, limits: DecodeLimits()) == blocks)
        #expect(try AVIFCoder().probe(data).size == PixelSize(37, 21))
    }
}
