import Foundation
import Testing
import WebImageAllFormats
import WebImageCore
import WebImagePixels

/// Every limit, with every coder that can meet it.
@Suite struct LimitsTests {
    private static let manager = CodersManager([
        .jpeg, .png, .gif, .webP, .avif, .heif, .jpegXL, .tiff, .svg, .bmp, .ico(png: .png), .gdkPixbuf,
    ])

    private func refusal(_ data: Data, _ options: DecodeOptions) -> ImageError? {
        failure { _ = try Self.manager.decode(data, options: options) }
    }

    @Test("B34 pixels and sides, exact to one", arguments: MonitorTests.files)
    func B34_pixels(_ file: MonitorTests.File) throws {
        let data = try file.data()
        let size = try Self.manager.probe(data).size
        let pixelCount = size.width * size.height
        for thumbnail in [nil, ImageSize(2, 2)] {
            // A drawing has no pixels before it is drawn: what counts is the size that it is drawn at.
            if file.name == "svg", thumbnail != nil { continue }
            var options = DecodeOptions(thumbnailPixelSize: thumbnail)
            options.limits = DecodeLimits(maxPixelCount: pixelCount, maxDimension: max(size.width, size.height))
            #expect(refusal(data, options) == nil)
            options.limits.maxPixelCount -= 1
            expectLimit("maxPixelCount", refusal(data, options))
            options.limits.maxPixelCount += 1
            options.limits.maxDimension -= 1
            expectLimit("maxDimension", refusal(data, options))
        }
    }

    @Test("B34 bytes, whole and in pieces", arguments: MonitorTests.files)
    func B34_bytes(_ file: MonitorTests.File) throws {
        let data = try file.data()
        var options = DecodeOptions()
        options.limits.maxByteCount = data.count
        #expect(refusal(data, options) == nil)
        options.limits.maxByteCount -= 1
        expectLimit("maxByteCount", refusal(data, options))
        expectLimit("maxByteCount", failure { _ = try Self.manager.frames(of: data, options: options) })
        guard let coder = Self.manager.coder(for: data) as? any ProgressiveImageCoder else { return }
        for size in [1, data.count] {
            expectLimit("maxByteCount", failure { _ = try IncrementalRun(coder, data, pieces: size, options) })
        }
    }

    @Test("B34 pixels in pieces: as soon as the header is there", arguments: MonitorTests.files)
    func B34_pixelsInPieces(_ file: MonitorTests.File) throws {
        let data = try file.data()
        guard let coder = Self.manager.coder(for: data) as? any ProgressiveImageCoder else { return }
        let size = try coder.probe(data).size
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: size.width * size.height - 1))
        expectLimit("maxPixelCount", failure { _ = try IncrementalRun(coder, data, pieces: 1, options) })
    }

    @Test("B34 frames, counted before any is decoded", arguments: MonitorTests.animations)
    func B34_frames(_ file: MonitorTests.File) throws {
        let data = try file.data()
        let count = try Self.manager.probe(data).frameCount
        #expect(count > 1)
        var options = DecodeOptions()
        options.limits.maxFrameCount = count
        #expect(try Self.manager.frames(of: data, options: options).frameCount == count)
        options.limits.maxFrameCount -= 1
        expectLimit("maxFrameCount", failure { _ = try Self.manager.frames(of: data, options: options) })
        expectLimit("maxFrameCount", refusal(data, options))
    }

    @Test("B34 nothing at all is allowed", arguments: MonitorTests.files)
    func B34_nothing(_ file: MonitorTests.File) throws {
        let data = try file.data()
        for number in [0, -1, Int.min] {
            for member in [\DecodeLimits.maxPixelCount, \.maxDimension, \.maxByteCount] {
                var options = DecodeOptions()
                options.limits[keyPath: member] = number
                #expect(refusal(data, options)?.code == .limitExceeded)
            }
            // What is beside the pixels is left unread.
            var options = DecodeOptions()
            options.limits.maxMetadataByteCount = number
            #expect(refusal(data, options) == nil)
            #expect(try Self.manager.metadata(of: data, limits: options.limits).isEmpty)
        }
    }

    @Test("B34 frames that are kept together, without overflow")
    func B34_keptFrames() {
        var limits = DecodeLimits()
        limits.maxTotalFrameByteCount = 4 * 6 * 5
        func refusal(_ count: Int, _ size: PixelSize) -> ImageError? {
            failure { try limits.check(keeping: count, of: size) }
        }
        #expect(refusal(5, PixelSize(3, 2)) == nil && refusal(0, PixelSize(.max, .max)) == nil)
        for (count, size) in [(6, PixelSize(3, 2)), (.max, PixelSize(3, 2)), (1, PixelSize(.max, .max))] {
            expectLimit("maxTotalFrameByteCount", refusal(count, size))
        }
        limits.maxTotalFrameByteCount = .min
        expectLimit("maxTotalFrameByteCount", refusal(1, PixelSize(1, 1)))
    }

    private func expectLimit(
        _ name: String, _ error: ImageError?, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .limitExceeded, sourceLocation: location)
        #expect(
            error?.message.contains("raise DecodeLimits.\(name)") == true, "\(error?.message ?? "no error")",
            sourceLocation: location)
    }
}
