import Foundation
import Testing
import WebImageCore
import WebImageHEIF
import WebImagePixels

@Suite struct HEIFTests {
    private let coder = HEIFCoder()

    @Test func stillPictures() throws {
        let data = try modernFixture("quarters.heic")
        #expect(coder.canDecode(data))
        let probe = try coder.probe(data)
        #expect(probe == ImageProbe(format: .heic, size: PixelSize(64, 48)))
        let pixels = try coder.decode(data).pixels
        #expect(pixels.size == PixelSize(64, 48))
        #expect(pixels.alpha == .opaque)
        #expect(pixels.hasQuarters(cornerColors, tolerance: 1))
        #expect(try modernPixels("lossy.heic").hasQuarters(cornerColors, tolerance: 8))
    }

    @Test func alphaIsStraightOrPremultipliedAsAsked() throws {
        for (name, tolerance) in [("faded.heic", 1), ("premultiplied.heic", 12)] {
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

    @Test func everyPictureOfAFileByIndex() throws {
        let data = try modernFixture("two.heic")
        let probe = try coder.probe(data)
        #expect(probe.pageCount == 2 && probe.frameCount == 1 && probe.size == PixelSize(64, 48))
        let first = try coder.decode(data)
        #expect(first.pixels.hasQuarters(cornerColors, tolerance: 8) && first.attributes.frameCount == 1)
        let options = DecodeOptions(frameIndex: 1)
        let second = try coder.decode(data, options: options)
        #expect(second.pixelSize == PixelSize(32, 64))
        #expect(second.pixels.hasQuarters(cornerColors(turn: 1), tolerance: 8))
        for index in [-1, 2, .max] {
            let error = failure { _ = try coder.decode(data, options: DecodeOptions(frameIndex: index)) }
            #expect(error?.code == .badImageData && error?.message.contains("2 picture(s)") == true)
        }
        var small = options
        small.limits.maxPixelCount = 32 * 64 - 1
        #expect(failure { _ = try coder.decode(data, options: small) }?.code == .limitExceeded)
        // Its end is that of the second picture, which the first can do without.
        for count in 0..<data.count {
            #expect(failure { _ = try coder.decode(data.prefix(count), options: options) } != nil, "\(count) bytes")
        }
        #expect(try coder.decode(data.dropLast(20)).pixels.hasQuarters(cornerColors, tolerance: 8))
        for bytes in flippedBits(of: data) {
            let error = failure { _ = try coder.decode(bytes, options: options) }
            #expect(error?.message.contains("heic") ?? true)
        }
    }

    @Test func thumbnails() throws {
        let image = try coder.decode(modernFixture("quarters.heic"), options: .thumbnail(16, 16))
        #expect(image.pixelSize == PixelSize(16, 12))
        #expect(image.pixels.hasQuarters(cornerColors, tolerance: 8))
    }

    @Test("B36 EXIF orientation does not turn a picture of this family")
    func B36_exifOrientation() throws {
        let data = try modernFixture("metadata.heic")
        let metadata = try coder.metadata(of: data, limits: DecodeLimits())
        #expect(metadata.exif?.starts(with: Data("II*\0".utf8)) == true)
        let pixels = try coder.decode(data).pixels
        #expect(pixels.size == PixelSize(64, 48))
        #expect(pixels.hasQuarters(cornerColors, tolerance: 8))
    }

    @Test func metadataOverTheLimitIsLeftOut() throws {
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 20
        #expect(try coder.metadata(of: modernFixture("metadata.heic"), limits: limits).isEmpty)
    }

    @Test func limitsBeforeDecoding() throws {
        var data = try modernFixture("quarters.heic")
        // The picture is a grid of one tile. Its size stands in a property and in the item itself.
        let grid = try #require(data.firstRange(of: Data("idat".utf8))?.upperBound)
        data.replaceSubrange(grid + 4..<grid + 8, with: [0xEA, 0x60, 0xEA, 0x60])
        let size = bigEndian(64) + bigEndian(48)
        let place = try #require(data.firstRange(of: Data(size))?.lowerBound)
        data.replaceSubrange(place..<place + 8, with: bigEndian(60_000) + bigEndian(60_000))
        let error = failure { _ = try coder.decode(data) }
        #expect(error?.code == .limitExceeded)
        let small = DecodeOptions(limits: DecodeLimits(maxPixelCount: 64 * 48 - 1))
        let honest = try modernFixture("quarters.heic")
        #expect(failure { _ = try coder.decode(honest, options: small) }?.code == .limitExceeded)
    }

    @Test(
        "B34 a canvas is as large as the picture's own bytes say, which must keep the limits", arguments: [16, 60_000])
    func B34_canvas(_ height: Int) throws {
        var data = try modernFixture("quarters.heic")
        let grid = try #require(data.firstRange(of: Data("idat".utf8))?.upperBound)
        data.replaceSubrange(grid + 4..<grid + 8, with: bigEndian(UInt32(1024 << 16 | height)).map { $0 })
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 64 * 48))
        let error = failure { _ = try coder.decode(data, options: options) }
        #expect(error?.code == .limitExceeded && error?.message.contains("1024×\(height)") == true)
    }

    @Test("The boxes are enough for the header")
    func headerAlone() throws {
        for name in ["lossy.heic", "faded.heic", "quarters.heic"] {
            let data = try modernFixture(name)
            let manager = CodersManager([coder])
            var wanted = 64
            while case .needsBytes(let count) = try manager.probe(prefix: data.prefix(wanted), isComplete: false) {
                #expect(count > wanted && count < data.count, "\(name)")
                wanted = count
            }
            #expect(try manager.probe(prefix: data.prefix(wanted), isComplete: false) == .found(coder.probe(data)))
        }
    }

    @Test func cancelled() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        let error = failure {
            _ = try coder.decode(modernFixture("quarters.heic"), options: DecodeOptions(), monitor: monitor)
        }
        #expect(error?.isCancelled == true)
    }

    @Test func aSequenceAloneIsAClearError() {
        let sequence = bigEndian(20) + Array("ftyphevc\0\0\0\0msf1".utf8) + bigEndian(8) + Array("moov".utf8)
        #expect(coder.canDecode(Data(sequence)))
        let error = failure { _ = try coder.decode(Data(sequence)) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("sequence") == true)
    }

    @Test(arguments: ["quarters.heic", "lossy.heic", "metadata.heic"])
    func everyPrefixIsAnError(_ name: String) throws {
        let data = try modernFixture(name)
        for count in 0..<data.count - 1 {
            expectPictureOrNamedError(data.prefix(count), of: coder, named: .heic)
        }
        #expect(failure { _ = try coder.decode(data.prefix(data.count - 40)) }?.code == .badImageData)
    }

    @Test(arguments: ["lossy.heic", "faded.heic", "metadata.heic"])
    func flippedBitsDoNoHarm(_ name: String) throws {
        for data in flippedBits(of: try modernFixture(name)) {
            expectPictureOrNamedError(data, of: coder, named: .heic)
        }
    }
}

extension HEIFTests {
    @Test func aPictureMadeOfItselfIsAnError() throws {
        var data = try modernFixture("metadata.heic")
        let place = try #require(data.firstRange(of: Data("dimg".utf8))?.upperBound)
        #expect(Array(data[place..<place + 6]) == [0, 2, 0, 1, 0, 1])
        data[place + 5] = 2
        let error = failure { _ = try HEIFCoder().decode(data) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("made of itself") == true)
    }

    @Test func bytesThatThePictureDoesNotNeedMayLack() throws {
        // The EXIF block stands behind the picture.
        let data = try modernFixture("metadata.heic")
        let cut = data.prefix(data.count - 1)
        let whole = try HEIFCoder().decode(data).pixels
        let exifIsLast = data.suffix(26).starts(with: Data("II*\0".utf8))
        #expect(exifIsLast)
        #expect(try HEIFCoder().decode(cut).pixels.distance(to: whole) == 0)
    }
}
