import Foundation
import Testing
import WebImageCore
import WebImageJXL
import WebImagePixels

@Suite struct JXLTests {
    private let coder = JPEGXLCoder()

    @Test func stillPictures() throws {
        let data = try modernFixture("quarters.jxl")
        #expect(coder.canDecode(data))
        #expect(try coder.probe(data) == ImageProbe(format: .jpegXL, size: PixelSize(64, 48)))
        let pixels = try coder.decode(data).pixels
        #expect(pixels.size == PixelSize(64, 48))
        #expect(pixels.alpha == .opaque)
        #expect(pixels.hasQuarters(cornerColors))
    }

    @Test func alphaIsStraightOrPremultipliedAsAsked() throws {
        for (name, tolerance) in [("faded.jxl", 0), ("premultiplied.jxl", 12)] {
            #expect(try coder.probe(modernFixture(name)).hasAlpha)
            let straight = try modernPixels(name, .straight)
            #expect(straight.color(x: 2, y: 2)?.alpha == 0)
            #expect(PixelColor.fullRed.distance(to: straight.color(x: 24, y: 18)) <= tolerance)
            #expect(PixelColor.fullGreen.distance(to: straight.color(x: 48, y: 12)) <= tolerance)
            #expect(PixelColor(255, 255, 255, 128).distance(to: straight.color(x: 48, y: 36)) <= tolerance)
            let premultiplied = try modernPixels(name)
            #expect(premultiplied.distance(to: straight.withAlpha(.premultiplied)) == 0)
        }
    }

    @Test func thumbnails() throws {
        let image = try coder.decode(modernFixture("quarters.jxl"), options: .thumbnail(16, 16))
        #expect(image.pixelSize == PixelSize(16, 12))
        #expect(image.pixels.hasQuarters(cornerColors, tolerance: 8))
    }

    @Test func orientationIsApplied() throws {
        // The JPEG that it was made of is to be turned clockwise.
        let pixels = try modernPixels("metadata.jxl")
        #expect(pixels.size == PixelSize(48, 64))
        #expect(pixels.hasQuarters([.fullBlue, .fullRed, .white, .fullGreen], tolerance: 4))
    }

    @Test func metadataBlocks() throws {
        let metadata = try coder.metadata(of: modernFixture("metadata.jxl"), limits: DecodeLimits())
        #expect(metadata.exif?.starts(with: Data("II*\0".utf8)) == true)
        #expect(metadata.colorProfile?.dropFirst(36).starts(with: Data("acsp".utf8)) == true)
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 20
        #expect(try coder.metadata(of: modernFixture("metadata.jxl"), limits: limits).isEmpty)
        #expect(try coder.metadata(of: modernFixture("quarters.jxl"), limits: DecodeLimits()).isEmpty)
    }

    // MARK: Animation

    @Test func animations() throws {
        let data = try modernFixture("animation.jxl")
        let probe = try coder.probe(data)
        #expect(probe.frameCount == 4)
        #expect(probe.durations.prefix(3) == [100, 200, 30])
        let source = try coder.frames(of: data, options: DecodeOptions())
        #expect(source.loopCount == 0)
        #expect(source.durations == [.milliseconds(100), .milliseconds(200), .milliseconds(30), .milliseconds(100)])
        for turn in 0..<4 {
            #expect(try source.frame(at: turn).pixels.hasQuarters(cornerColors(turn: turn)))
        }
    }

    @Test func framesInAnyOrderFromAnyThread() throws {
        try expectFramesInAnyOrder(modernFixture("animation.jxl"), of: coder)
        try expectFramesInAnyOrder(modernFixture("faded.jxl"), of: coder)
    }

    // MARK: Bytes in pieces

    @Test(arguments: ["quarters.jxl", "faded.jxl", "animation.jxl", "progressive.jxl", "metadata.jxl"])
    func theLastPictureIsTheSameHoweverTheBytesAreCut(_ name: String) throws {
        let data = try modernFixture(name)
        let whole = try coder.decode(data)
        for size in [data.count, data.count / 2 + 1, 100, 1] {
            let fed = try feed(data, pieces: size, options: DecodeOptions())
            #expect(fed.last.pixels.distance(to: whole.pixels) == 0)
            #expect(fed.last.attributes == whole.attributes)
        }
    }

    @Test func partialPicturesComeNearer() throws {
        let data = try modernFixture("progressive.jxl")
        let whole = try coder.decode(data).pixels
        let fed = try feed(data, pieces: 64, options: DecodeOptions())
        #expect(fed.partials.count >= 1)
        #expect(fed.partials.allSatisfy { $0.pixels.size == whole.size })
        let errors = fed.partials.map { meanDistance($0.pixels, whole) }
        #expect(errors == errors.sorted(by: >))
        #expect(try #require(errors.first) < 30)
    }

    @Test func aFrameFromPieces() throws {
        let data = try modernFixture("animation.jxl")
        let fed = try feed(data, pieces: 10, options: DecodeOptions(frameIndex: 2))
        #expect(fed.last.pixels.hasQuarters(cornerColors(turn: 2)))
        let error = failure { _ = try feed(data, pieces: 10, options: DecodeOptions(frameIndex: 4)) }
        #expect(error?.code == .badImageData)
    }

    @Test func missingBytesAreAnErrorInTheEnd() throws {
        for (name, frame) in [("quarters.jxl", 0), ("progressive.jxl", 0), ("animation.jxl", 3)] {
            let data = try modernFixture(name)
            let options = DecodeOptions(frameIndex: frame)
            for count in [0, 1, 3, data.count / 2, data.count - 5] {
                let error = failure { _ = try feed(data.prefix(count), pieces: 7, options: options) }
                #expect(error?.code == .badImageData, "\(count) bytes of \(name)")
                #expect(failure { _ = try coder.decode(data.prefix(count), options: options) }?.code == .badImageData)
            }
        }
    }

    private func feed(
        _ data: Data, pieces size: Int, options: DecodeOptions
    ) throws -> (partials: [DecodedImage], last: DecodedImage) {
        let decoder = coder.incrementalDecoder(options: options)
        var partials: [DecodedImage] = []
        for start in stride(from: 0, to: data.count, by: size) {
            let piece = [UInt8](data.dropFirst(start).prefix(size))
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(ImageError) in try decoder.append(bytes) }
            }
            try result.get()
            if let partial = try decoder.partialImage() { partials.append(partial) }
        }
        return (partials, try decoder.finish())
    }

    private func meanDistance(_ first: PixelBuffer, _ second: PixelBuffer) -> Double {
        let distances = zip(first.allColors, second.allColors).map { Double($0?.distance(to: $1) ?? 255) }
        return distances.reduce(0, +) / Double(max(1, distances.count))
    }

    // MARK: Hostile bytes

    @Test func limitsBeforeDecoding() throws {
        // Size header of 60000, square; all else is default.
        var bits: [Bool] = [false, false, true]
        bits += (0..<18).map { 59_999 >> $0 & 1 == 1 }
        bits += [true, false, false, true, true]
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits.dropFirst(start).prefix(8).enumerated().reduce(UInt8(0)) { $1.element ? $0 | 1 << $1.offset : $0 }
        }
        let data = Data([0xFF, 0x0A] + bytes + [UInt8](repeating: 0, count: 64))
        #expect(try coder.probe(data).size == PixelSize(60_000, 60_000))
        #expect(failure { _ = try coder.decode(data) }?.code == .limitExceeded)
        #expect(failure { _ = try feed(data, pieces: 1, options: DecodeOptions()) }?.code == .limitExceeded)
        var options = DecodeOptions()
        options.limits.maxFrameCount = 3
        let animation = try modernFixture("animation.jxl")
        #expect(failure { _ = try coder.decode(animation, options: options) }?.code == .limitExceeded)
    }

    @Test func cancelled() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let error = failure {
            _ = try coder.decode(modernFixture("quarters.jxl"), options: DecodeOptions(), monitor: monitor)
        }
        #expect(error?.isCancelled == true)
    }

    @Test(arguments: ["quarters.jxl", "faded.jxl", "animation.jxl", "metadata.jxl"])
    func everyPrefixIsAnError(_ name: String) throws {
        let data = try modernFixture(name)
        for count in 0..<data.count - 1 {
            expectPictureOrNamedError(data.prefix(count), of: coder, named: .jpegXL)
        }
    }

    @Test(arguments: ["quarters.jxl", "faded.jxl", "animation.jxl", "premultiplied.jxl", "metadata.jxl"])
    func flippedBitsDoNoHarm(_ name: String) throws {
        for data in flippedBits(of: try modernFixture(name)) {
            expectPictureOrNamedError(data, of: coder, named: .jpegXL)
            _ = try? feed(data, pieces: 50, options: .small)
        }
    }
}
