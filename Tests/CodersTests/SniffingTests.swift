import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImageJPEG
import WebImagePNG
import WebImagePixels
import WebImageWebP

@Suite struct SniffingTests {
    @Test func theSignatureDecides() throws {
        let expected: [(String, ImageFormat?)] = [
            ("base.jpg", .jpeg), ("la8.png", .png), ("gif_loop2.gif", .gif), ("webp_ops.webp", .webP),
            ("avif_plain.avif", .avif), ("avif_mif1_major.avif", .avif), ("wave.bin", nil), ("isom.bin", nil),
            ("swapped_rg.icc", nil),
        ]
        for (name, format) in expected {
            #expect(try FormatSniffer.format(of: fixture(name)) == format, "\(name)")
        }
    }

    @Test(arguments: ["wave.bin", "isom.bin"])
    func whatIsNoPictureIsOneError(_ name: String) {
        #expect(failure { _ = try decoded(name) }?.code == .unknownFormat)
    }

    @Test func aCoderTakesItsFormatOnly() throws {
        let all: [any ImageCoder] = [.jpeg, .png, .gif, .webP]
        for (index, name) in ["base.jpg", "la8.png", "gif_loop2.gif", "webp_ops.webp"].enumerated() {
            let data = try fixture(name)
            #expect(all.map { $0.canDecode(data) } == all.indices.map { $0 == index })
        }
        #expect(all.map { $0.canEncode(to: .jpeg) } == [true, false, false, false])
        #expect(all.map { $0.canEncode(to: .gif) } == [false, false, true, false])
    }

    @Test func knownFormatWithoutACoderIsNamed() throws {
        let error = failure { _ = try decoded("avif_plain.avif") }
        #expect(error?.code == .unknownFormat)
        #expect(error?.message.contains("avif") == true)
    }
}
