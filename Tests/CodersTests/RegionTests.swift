import Foundation
import Testing
import WebImageAllFormats
import WebImageCore
import WebImagePixels

/// A part of a picture is decoded as if it were cut out of the whole, whatever the coder leaves out on its way.
@Suite struct RegionTests {
    private static let files =
        (1...8).map { "cases/exif_\($0).jpg" }
        + [
            "cases/base.jpg", "cases/progressive.jpg", "cases/restart.jpg", "jpeg/cmyk.jpg", "cases/icc_swapped.jpg",
            "cases/halo_16.png", "cases/adam7_9x1.png", "cases/la8.png", "cases/rot_3x2.png", "cases/apng_hidden.png",
            "cases/gif_prev_chain.gif", "cases/gif_delays.gif", "cases/icc_swapped.webp", "cases/webp_ops.webp",
            "modern/grid.avif", "modern/cropped_turned.avif", "modern/faded.avif", "modern/sequence.avif",
            "modern/quarters.heic", "modern/faded.heic", "modern/animation.jxl", "modern/quarters.jxl",
            "rarer/rgb_deflate.tiff", "rarer/ycbcr_jpeg.tiff", "rarer/bilevel_g4.tiff", "rarer/palette_lzw.tiff",
            "rarer/rgb24.bmp", "rarer/palette8.bmp", "rarer/icon.ico", "rarer/rgba32_rle.tga",
        ].filter { FileManager.default.fileExists(atPath: path($0)) }

    private static let all = CodersManager(CodersManager.allFormats)

    private static func path(_ name: String, _ file: String = #filePath) -> String {
        let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        return tests.appendingPathComponent("Fixtures/\(name)").path
    }

    private func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: Self.path(name))) }

    private func options(_ rect: PixelRect, straight: Bool = false) -> DecodeOptions {
        var options = DecodeOptions()
        options.cropRect = rect
        if straight { options.alpha = .straight }
        return options
    }

    private func parts(of size: PixelSize) -> [PixelRect] {
        let (width, height) = (size.width, size.height)
        return [
            PixelRect(x: width / 3, y: height / 4, width: max(1, width / 2), height: max(1, height / 3)),
            PixelRect(x: width - 1, y: height - 1, width: 1, height: 1),
            PixelRect(x: -5, y: 0, width: 6, height: .max),
            PixelRect(size),
        ]
    }

    @Test("A part is the part of the whole", arguments: files)
    func part(_ name: String) throws {
        let data = try data(name)
        let whole = try Self.all.decode(data, options: DecodeOptions()).pixels
        for rect in parts(of: whole.size) {
            let cut = try #require(whole.cropped(to: rect))
            #expect(try Self.all.decode(data, options: options(rect)).pixels.distance(to: cut) == 0, "\(rect)")
            let frame = try Self.all.frames(of: data, options: options(rect)).frame(at: 0).pixels
            #expect(frame.distance(to: cut) == 0, "first frame, \(rect)")
            #expect(options(rect).targetSize(for: whole.size) == cut.size)
        }
    }

    @Test("A part is made smaller as if it were the whole picture", arguments: files)
    func smallerPart(_ name: String) throws {
        let data = try data(name)
        let whole = try Self.all.decode(data, options: DecodeOptions()).pixels
        let rect = PixelRect(x: 1, y: 1, width: max(1, whole.width - 3), height: max(1, whole.height - 2))
        guard let cut = whole.cropped(to: rect) else { return }
        var options = options(rect)
        options.thumbnailPixelSize = ImageSize(Double(max(1, cut.width / 2)), 0)
        let expected = try #require(cut.resized(to: options.targetSize(for: whole.size)))
        #expect(try Self.all.decode(data, options: options).pixels.distance(to: expected) ?? 255 <= 2)
    }

    @Test("A part of a picture whose bytes come in pieces", arguments: files)
    func piecewise(_ name: String) throws {
        let data = try data(name)
        let coder = CodersManager.allFormats.last { $0.canDecode(data) }
        guard let coder = coder as? any ProgressiveImageCoder else { return }
        let size = try Self.all.decode(data, options: DecodeOptions()).pixelSize
        for rect in parts(of: size) {
            let expected = try Self.all.decode(data, options: options(rect)).pixels
            let decoder = coder.incrementalDecoder(options: options(rect))
            for start in stride(from: 0, to: data.count, by: 97) {
                try data[start..<min(data.count, start + 97)].withUnsafeBytes { try decoder.append($0) }
                if let partial = try decoder.partialImage() { #expect(partial.pixelSize == expected.size) }
            }
            #expect(try decoder.finish().pixels.distance(to: expected) == 0, "\(rect)")
        }
    }

    @Test("A part outside, or of no area, is one error", arguments: files)
    func outside(_ name: String) throws {
        let data = try data(name)
        let rects = [
            PixelRect(x: 4096, y: 0, width: 9, height: 9), PixelRect(x: 0, y: -9, width: 9, height: 9),
            PixelRect(x: 0, y: 0, width: 0, height: 5), PixelRect(x: 0, y: 0, width: 5, height: -5),
            PixelRect(x: .max, y: .max, width: .max, height: .max), PixelRect(x: .min, y: 0, width: .max, height: 1),
        ]
        for rect in rects {
            let error = failure { _ = try Self.all.decode(data, options: options(rect)) }
            #expect(error?.code == .transformFailed && error?.stage == .decode, "\(rect)")
            #expect(options(rect).targetSize(for: PixelSize(64, 48)) == PixelSize(0, 0))
        }
    }

    @Test("A part of a drawing is drawn at the size that is asked for")
    func drawing() throws {
        let svg = Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="10" height="10" fill="red"/>\
            <rect x="10" width="10" height="10" fill="lime"/></svg>
            """.utf8)
        var options = options(PixelRect(x: 9, y: 2, width: 2, height: 2))
        let pixels = try Self.all.decode(svg, options: options).pixels
        #expect(pixels.size == PixelSize(2, 2))
        #expect(pixels.color(x: 0, y: 1) == .fullRed && pixels.color(x: 1, y: 1) == .fullGreen)
        options.thumbnailPixelSize = ImageSize(40, 40)
        let large = try Self.all.decode(svg, options: options).pixels
        #expect(large.size == PixelSize(40, 40))
        #expect(large.color(x: 19, y: 20) == .fullRed && large.color(x: 20, y: 20) == .fullGreen)
    }

    @Test("Straight alpha is kept in a part")
    func straight() throws {
        let data = try data("cases/halo_16.png")
        var plain = DecodeOptions()
        plain.alpha = .straight
        let rect = PixelRect(x: 3, y: 2, width: 9, height: 5)
        let expected = try #require(Self.all.decode(data, options: plain).pixels.cropped(to: rect))
        let pixels = try Self.all.decode(data, options: options(rect, straight: true)).pixels
        #expect(pixels.alpha == .straight && pixels.distance(to: expected) == 0)
    }

    @Test("The filter is the one that is asked for")
    func filter() throws {
        let data = try data("cases/base.jpg")
        var options = DecodeOptions.thumbnail(40, 40)
        let whole = try Self.all.decode(data, options: DecodeOptions()).pixels
        for filter in ResamplingFilter.allCases {
            options.resampling = Resampling(filter)
            let expected = try #require(whole.resized(to: PixelSize(40, 40), resampling: Resampling(filter)))
            #expect(try Self.all.decode(data, options: options).pixels.distance(to: expected) == 0)
        }
    }
}
