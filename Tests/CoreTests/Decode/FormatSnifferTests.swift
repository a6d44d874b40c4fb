import Foundation
import Testing
import WebImageCore
import WebImageTesting

@Suite("Formats by signature")
struct FormatSnifferTests {
    private static func box(_ brands: String...) -> [UInt8] {
        let text = "ftyp" + brands[0] + "\0\0\0\0" + brands.dropFirst().joined()
        return [0, 0, 0, UInt8(text.utf8.count + 4)] + Array(text.utf8)
    }

    @Test(
        "Whole signatures are known",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], ImageFormat.jpeg), (Array("\u{89}PNG".utf8), nil),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), (Array("GIF89a".utf8), .gif),
            (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .webP), (Array("RIFF\0\0\0\0WAVEfmt ".utf8), nil),
            ([0x49, 0x49, 0x2A, 0], .tiff), (Array("Init".utf8), nil), (Array("Mail".utf8), nil),
            (box("avif"), .avif), (box("mif1", "avif"), .avif), (box("mif1", "heic"), .heic), (box("isom"), nil),
            (Array("BMW is a car maker".utf8), nil), ([0xFF, 0x0A, 1], .jpegXL),
            (Array("<?xml version=\"1.0\"?><svg/>".utf8), .svg), (Array("  <svg/>".utf8), .svg),
            (Array("<?xml version=\"1.0\"?><html><svg/></html>".utf8), nil), (Array("<!-- --><HTML><svg/>".utf8), nil),
            (Array("<html>no</html>".utf8), nil), ([], nil), ([0xFF], nil), ([0xFF, 0xD8], nil),
        ] as [([UInt8], ImageFormat?)])
    func signatures(_ bytes: [UInt8], _ expected: ImageFormat?) {
        #expect(FormatSniffer.format(of: Data(bytes)) == expected)
    }

    @Test("A part of other data is read from its own start")
    func slices() {
        let data = Data([1, 2, 3] + Array("GIF89a".utf8))
        #expect(FormatSniffer.format(of: data[3...]) == .gif)
    }

    @Test("No prefix and no single byte is enough, and no bytes crash")
    func prefixes() {
        for byte in UInt8.min...UInt8.max { #expect(FormatSniffer.format(of: Data([byte])) == nil) }
        for count in 0..<24 {
            for filler: UInt8 in [0, 0x49, 0x66, 0xFF] {
                _ = FormatSniffer.format(of: Data(repeating: filler, count: count))
            }
        }
    }

    @Test("The last coder added is asked first; unknown bytes are one clear error")
    func codersManager() throws {
        let bytes = Data("x".utf8)
        let first = FakeCoder()
        let last = FakeCoder()
        let manager = CodersManager([first])
        #expect { try manager.decode(bytes, options: .init()) } throws: {
            ($0 as? ImageError)?.code == .unknownFormat
        }
        #expect { try manager.decode(Data(), options: .init()) } throws: {
            ($0 as? ImageError)?.code == .badImageData
        }
        first.script(bytes, .failure(ImageError(.badImageData, .decode, "first")))
        last.script(bytes, .failure(ImageError(.badImageData, .decode, "last")))
        manager.add(last)
        #expect { try manager.decode(bytes, options: .init()) } throws: { ($0 as? ImageError)?.message == "last" }
        manager.remove(FakeCoder.self)
        #expect(manager.coders.isEmpty && !manager.canEncode(to: .png))
    }

    @Test("The byte limit is checked before anything is read")
    func byteLimit() {
        let manager = CodersManager([FakeCoder()])
        let options = DecodeOptions(limits: DecodeLimits(maxByteCount: 2))
        #expect { try manager.decode(Data(count: 3), options: options) } throws: {
            ($0 as? ImageError)?.code == .limitExceeded
        }
    }
}
