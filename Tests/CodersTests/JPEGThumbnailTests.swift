import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

/// The small pictures that cameras put into EXIF blocks: green here, in red pictures.
@Suite("JPEG thumbnails in EXIF") struct JPEGThumbnailTests {
    private let coder = JPEGCoder()

    private func file(_ size: PixelSize, _ color: PixelColor, _ metadata: ImageMetadata = .init()) throws -> Data {
        let image = try picture(size, alpha: .opaque) { _, _ in color }
        var options = EncodeOptions()
        options.metadata = metadata
        return try coder.encode(image, to: .jpeg, options: options)
    }

    /// An EXIF block with a picture behind its directories.
    private func block(_ thumbnail: Data, orientation: Int = 1, offset: Int? = nil, count: Int? = nil) -> Data {
        // Two bytes each; numbers of four are two of them.
        func words(_ values: Int...) -> Data {
            Data(values.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] })
        }
        let (offset, count) = (offset ?? 56, count ?? thumbnail.count)
        var block = Data("MM".utf8) + words(42, 0, 8)
        block += words(1, 0x0112, 3, 0, 1, orientation, 0, 0, 26)
        block += words(2, 0x0201, 4, 0, 1, offset >> 16, offset, 0x0202, 4, 0, 1, count >> 16, count, 0, 0)
        return block + thumbnail
    }

    private func adding(_ block: Data, to file: Data) -> Data {
        let body = Data("Exif\0\0".utf8) + block
        let count = body.count + 2
        let header = Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)])
        return Data(file.prefix(2)) + header + body + Data(file.dropFirst(2))
    }

    private func options(_ width: Double, _ quality: DecodeOptions.ThumbnailQuality = .fast) -> DecodeOptions {
        var options = DecodeOptions.thumbnail(width, 0)
        options.thumbnailQuality = quality
        return options
    }

    /// Whether the small picture was taken; `nil` for neither.
    private func isSmallTaken(_ data: Data, _ options: DecodeOptions) throws -> Bool? {
        let image = try coder.decode(data, options: options)
        let target = options.targetSize(for: try coder.probe(data).size)
        #expect(image.pixelSize == target && image.attributes.isThumbnail && image.attributes.format == .jpeg)
        let color = image.pixels.color(x: target.width / 2, y: target.height / 2)
        if PixelColor.fullGreen.distance(to: color) <= 4 { return true }
        return PixelColor.fullRed.distance(to: color) <= 4 ? false : nil
    }

    @Test("The small picture is taken where it is asked for speed, and it is large enough")
    func taken() throws {
        let data = try adding(block(file(PixelSize(40, 30), .fullGreen)), to: file(PixelSize(400, 300), .fullRed))
        #expect(try isSmallTaken(data, options(40)) == true && isSmallTaken(data, options(7)) == true)
        #expect(try isSmallTaken(data, options(41)) == false && isSmallTaken(data, options(20, .exact)) == false)
        var cut = options(7)
        cut.cropRect = PixelRect(x: 100, y: 100, width: 80, height: 60)
        let part = try coder.decode(data, options: cut).pixels
        #expect(PixelColor.fullRed.distance(to: part.color(x: 3, y: 2)) <= 4)
        var whole = DecodeOptions()
        whole.thumbnailQuality = .fast
        #expect(try PixelColor.fullRed.distance(to: coder.decode(data, options: whole).pixels.color(x: 9, y: 9)) <= 4)
        try expectDripFeed(coder, data, options(20))
    }

    @Test("It is turned as the picture is")
    func turned() throws {
        let small = try coder.encode(
            picture(PixelSize(40, 30), alpha: .opaque) { x, _ in x < 20 ? .fullGreen : .fullBlue }, to: .jpeg,
            options: EncodeOptions(quality: 1))
        let data = try adding(block(small, orientation: 6), to: file(PixelSize(400, 300), .fullRed))
        let image = try coder.decode(data, options: options(30))
        #expect(image.pixelSize == PixelSize(30, 40))
        #expect(PixelColor.fullGreen.distance(to: image.pixels.color(x: 15, y: 5)) <= 8)
        #expect(PixelColor.fullBlue.distance(to: image.pixels.color(x: 15, y: 35)) <= 8)
    }

    @Test("One of other proportions, or of a picture with a profile, is not taken")
    func notTaken() throws {
        let large = try file(PixelSize(600, 400), .fullRed)
        // As cameras write it, with bars; and rounded to whole pixels.
        let (barred, rounded) = try (file(PixelSize(160, 120), .fullGreen), file(PixelSize(160, 107), .fullGreen))
        #expect(try isSmallTaken(adding(block(barred), to: large), options(50)) == false)
        #expect(try isSmallTaken(adding(block(rounded), to: large), options(50)) == true)
        var metadata = ImageMetadata()
        metadata.colorProfile = try fixture("swapped_rg.icc")
        let profiled = try adding(block(rounded), to: file(PixelSize(600, 400), .fullRed, metadata))
        // The profile makes green of what is stored as red.
        var stored = options(50)
        stored.colorConversion = .none
        #expect(try isSmallTaken(profiled, stored) == false)
        let larger = try adding(block(file(PixelSize(80, 60), .fullGreen)), to: file(PixelSize(40, 30), .fullRed))
        #expect(try isSmallTaken(larger, options(20)) == false)
    }

    @Test("A cut file is an error all the same")
    func cut() throws {
        let data = try adding(block(file(PixelSize(40, 30), .fullGreen)), to: file(PixelSize(400, 300), .fullRed))
        for count in [data.count - 2, data.count - 300] {
            let fast = failure { _ = try coder.decode(data.prefix(count), options: options(20)) }
            let exact = failure { _ = try coder.decode(data.prefix(count), options: options(20, .exact)) }
            #expect(fast?.code == exact?.code)
        }
        let tiny = try adding(block(file(PixelSize(16, 12), .fullGreen)), to: file(PixelSize(40, 30), .fullRed))
        expectSameOfEveryPrefix(coder, tiny, options(8))
    }

    @Test("A hostile small picture costs nothing but itself: the large one is decoded")
    func hostile() throws {
        let small = try file(PixelSize(40, 30), .fullGreen)
        let large = try file(PixelSize(400, 300), .fullRed)
        for count in stride(from: 0, to: small.count - 8, by: 7) {
            #expect(try isSmallTaken(adding(block(small.prefix(count)), to: large), options(20)) == false)
        }
        for (offset, count) in [(0, 10), (56, small.count + 1), (1 << 31, 4), (56, 0), (56, -1), (-1, -1), (57, 40)] {
            let data = adding(block(small, offset: offset, count: count), to: large)
            #expect(try isSmallTaken(data, options(20)) == false)
        }
        // A size that is not its own, and of billions of pixels.
        let header = try #require(small.range(of: Data([0xFF, 0xC0]))).lowerBound + 5
        for bytes: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF], [0x40, 0, 0x40, 0], [0, 60, 0, 80], [0, 0, 0, 0]] {
            var bent = small
            bent.replaceSubrange(header..<header + 4, with: bytes)
            #expect(try isSmallTaken(adding(block(bent), to: large), options(20)) == false)
        }
        for index in stride(from: 2, to: small.count, by: 3) {
            var bent = small
            bent[index] ^= 0xFF
            _ = try coder.decode(adding(block(bent), to: large), options: options(20))
        }
        // A picture within the small picture within it is not looked for.
        let nested = adding(block(adding(block(small), to: small)), to: large)
        #expect(try isSmallTaken(nested, options(20)) == true)
    }

    @Test("Nobody who waits for it ends it")
    func cancelled() throws {
        let data = try adding(block(file(PixelSize(40, 30), .fullGreen)), to: file(PixelSize(400, 300), .fullRed))
        let monitor = DecodeMonitor(limits: DecodeLimits()) { true }
        #expect(failure { _ = try coder.decode(data, options: options(20), monitor: monitor) }?.isCancelled == true)
    }
}
