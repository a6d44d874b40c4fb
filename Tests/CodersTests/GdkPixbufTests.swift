import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImageGdkPixbuf
import WebImagePixels

@Suite struct GdkPixbufTests {
    private let coder = GdkPixbufCoder()
    static let names = [
        "rgb24.tga", "rgba32_rle.tga", "rgb.ppm", "gray.pgm", "bilevel.pbm", "bilevel.xbm",
    ]

    private func rarer(_ name: String) throws -> Data { try fixture("../rarer/\(name)") }

    private func straight(_ data: Data) throws -> PixelBuffer {
        var options = DecodeOptions()
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels
    }

    private static func rule(_ x: Int, _ y: Int, alpha: Int = 255) -> PixelColor {
        PixelColor(UInt8(x * 28), UInt8(y * 50), UInt8((x * 7 + y * 13) % 256), UInt8(alpha))
    }

    // MARK: Pixels

    @Test(arguments: ["rgb24.tga", "rgb.ppm"])
    func exactColours(_ name: String) throws {
        let pixels = try straight(rarer(name))
        #expect(pixels.alpha == .opaque)
        #expect(pixels.allColors == (0..<6).flatMap { y in (0..<9).map { Self.rule($0, y) } })
    }

    @Test func straightAlphaIsExact() throws {
        let pixels = try straight(rarer("rgba32_rle.tga"))
        #expect(pixels.alpha == .straight)
        #expect(pixels.allColors == (0..<6).flatMap { y in (0..<9).map { Self.rule($0, y, alpha: 255 - $0 * 20) } })
    }

    @Test func grayAndBilevel() throws {
        let gray = try straight(rarer("gray.pgm"))
        #expect((0..<9).map { gray.color(x: $0, y: 4)?.green } == (0..<9).map { UInt8($0 * 28) })
        let pixels = try straight(rarer("bilevel.pbm"))
        #expect((0..<9).map { pixels.color(x: $0, y: 3)?.red } == (0..<9).map { ($0 + 3) % 2 == 0 ? 255 : 0 })
    }

    @Test(arguments: names)
    func probeAgreesWithThePicture(_ name: String) throws {
        let data = try rarer(name)
        #expect(coder.canDecode(data))
        let probe = try coder.probe(data)
        let image = try coder.decode(data)
        #expect(probe.size == image.pixelSize)
        #expect(probe.hasAlpha || image.pixels.alpha == .opaque)
        #expect(probe.format == image.attributes.format)
        let ending = try #require(name.split(separator: ".").last.map(String.init))
        let formats: [String: ImageFormat] = ["pgm": .pnm, "pbm": .pnm, "ppm": .pnm]
        #expect(probe.format == formats[ending] ?? ImageFormat(rawValue: ending))
        let thumbnail = try coder.decode(data, options: .thumbnail(3, 3))
        #expect(max(thumbnail.pixelSize.width, thumbnail.pixelSize.height) == 3)
        #expect(thumbnail.attributes.isThumbnail)
    }

    // MARK: What is left to others

    @Test func otherCodersFormatsAreNeverClaimed() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/cases")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            #expect(!coder.canDecode(try fixture(name)), "\(name)")
        }
        for name in ["rgb_deflate.tiff", "rgb24.bmp", "icon.ico"] { #expect(!coder.canDecode(try rarer(name))) }
        #expect(!coder.canDecode(Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)))
    }

    @Test(arguments: [
        "", "P", "P5", "P5text", "BMW and other cars of the year", "/* a program */ int main() {}", "#define X 1\n",
        "\0\0\u{2}\0", "hello, world",
    ])
    func rubbishIsNotClaimed(_ text: String) {
        let data = Data(text.utf8)
        #expect(!coder.canDecode(data))
        let error = failure { _ = try coder.decode(data) }
        #expect(error?.code == .badImageData)
        #expect(error?.message.contains("gdk-pixbuf") == true)
    }

    @Test("B34 loaders that know no limits are never asked")
    func B34_unboundedLoaders() throws {
        let inner = [UInt8](try fixture("bomb_30000_1bit.png"))
        let block = Array("ic08".utf8) + bigEndian(UInt32(8 + inner.count)) + inner
        #expect(!coder.canDecode(Data(Array("icns".utf8) + bigEndian(UInt32(8 + block.count)) + block)))
        #expect(!coder.canDecode(Data(bigEndian(UInt32(8 + inner.count)) + Array("idat".utf8) + inner)))
    }

    @Test func theFirstAddedIsAskedLast() throws {
        let manager = CodersManager([.gdkPixbuf, FirstCoder()])
        #expect(failure { _ = try manager.decode(rarer("rgb24.tga")) }?.message == "first")
    }

    // MARK: Hostile files

    /// Headers of 40,000 × 40,000 pixels with nothing behind.
    static let bombs: [(name: String, data: Data)] = [
        ("pnm", Data("P6\n40000 40000\n255\n".utf8) + Data(count: 400)),
        ("tga", Data([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x9C, 0x40, 0x9C, 32, 8]) + Data(count: 400)),
        ("xbm", Data("#define a_width 40000\n#define a_height 40000\nstatic char a_bits[] = { 0x00 };".utf8)),
    ]

    @Test("B34 what a header claims is checked before room is made", arguments: bombs.map(\.name))
    func B34_claims(_ name: String) throws {
        let data = try #require(Self.bombs.first { $0.name == name }?.data)
        for options in [DecodeOptions(), .thumbnail(8, 8)] {
            let error = failure { _ = try coder.decode(data, options: options) }
            #expect(error?.code == .limitExceeded, "\(error?.message ?? "")")
        }
    }

    @Test(arguments: names)
    func everyPrefix(_ name: String) throws {
        let data = try rarer(name)
        for count in 0..<data.count { expectPictureOrError(of: coder, data.prefix(count)) }
    }

    @Test(arguments: names)
    func everyFlippedBit(_ name: String) throws {
        var data = try rarer(name)
        for index in data.indices {
            for bit in 0..<8 where data.count < 400 || bit % 3 == index % 3 {
                data[index] ^= 1 << bit
                expectPictureOrError(of: coder, data)
                data[index] ^= 1 << bit
            }
        }
    }

    @Test func manyThreadsAtOnce() throws {
        let files = try Self.names.map { try rarer($0) }
        let expected = try files.map { try coder.decode($0).pixels.allColors }
        let results = Mutex([Bool]())
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            let number = index % files.count
            let isEqual = (try? coder.decode(files[number]).pixels.allColors) == expected[number]
            results.withLock { $0.append(isEqual) }
        }
        #expect(results.withLock { $0 } == Array(repeating: true, count: 40))
    }

    @Test func theMonitorEndsTheWork() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits(), isCancelled: { true })
        let data = try rarer("rgb24.tga")
        #expect(
            failure { _ = try coder.decode(data, options: DecodeOptions(), monitor: monitor) }?.code == .cancelled)
        #expect(failure { _ = try coder.decode(data, options: DecodeOptions(frameIndex: 1)) }?.code == .badImageData)
    }
}

/// Takes everything and says so.
private struct FirstCoder: ImageCoder {
    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { throw ImageError(.badImageData, .decode, "first") }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { throw ImageError(.badImageData, .decode, "first") }
}

extension ImageFormat {
    fileprivate static let pnm = ImageFormat(rawValue: "pnm")
}
