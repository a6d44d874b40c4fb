import Foundation
import Testing
import WebImageAllFormats
import WebImageCore
import WebImagePixels

/// A file that ends too early is an error that says so, also where a library would make a picture of it.
@Suite struct TruncationTests {
    private static let manager = CodersManager([
        .jpeg, .png, .gif, .webP, .avif, .heif, .jpegXL, .tiff, .svg, .bmp, .ico(png: .png), .gdkPixbuf,
    ])

    static let files =
        MonitorTests.files + MonitorTests.animations.filter { $0.name != "apng" }
        + ["rgb_lzw_predictor", "palette_lzw", "gray_packbits", "bilevel_g4", "rgb_deflate", "ycbcr_jpeg"].map { name in
            MonitorTests.File(name, least: 0) { try fixture("../rarer/\(name).tiff") }
        }
        + ["bilevel.pbm", "gray.pgm", "rgb.ppm", "bilevel.xbm"].map { name in
            MonitorTests.File(name, least: 0) { try fixture("../rarer/\(name)") }
        }
        + ["P1 3 2 1 0 1 1 1 1 ", "P2 3 2 15 1 2 3 4 5 6 "].map { text in
            MonitorTests.File(String(text.prefix(2)), least: 0) { Data(text.utf8) }
        }

    @Test("a file that ends half-way, and one of which only its head is there", arguments: files)
    func halfAFile(_ file: MonitorTests.File) throws {
        let data = try file.data()
        let whole = try Self.manager.decode(data)
        #expect(!whole.pixelSize.isEmpty)
        for count in [data.count * 3 / 4, data.count / 2, data.count / 3] {
            for options in [DecodeOptions(), .thumbnail(2, 2)] {
                let error = failure { _ = try Self.manager.decode(data.prefix(count), options: options) }
                #expect(error?.stage == .decode, "\(count) of \(data.count) bytes")
            }
            guard let coder = Self.manager.coder(for: data) as? any ProgressiveImageCoder else { continue }
            #expect(failure { _ = try IncrementalRun(coder, data.prefix(count), pieces: 7) } != nil, "\(count)")
        }
    }
}
