import Foundation
import Synchronization
import Testing
import WebImageAVIF
import WebImageBMP
import WebImageCore
import WebImageGIF
import WebImageGdkPixbuf
import WebImageHEIF
import WebImageJPEG
import WebImageJXL
import WebImagePNG
import WebImagePixels
import WebImageSVG
import WebImageTIFF
import WebImageWebP

/// Every coder asks its monitor while it works, and does what it says.
@Suite struct MonitorTests {
    /// One picture of a format.
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        /// How often the monitor is to be asked at least: with a library that cannot be stopped, or gives all rows at
        /// once, in between only where rows are taken from it.
        let least: Int
        let data: @Sendable () throws -> Data

        init(_ name: String, least: Int, _ data: @escaping @Sendable () throws -> Data) {
            (self.name, self.least, self.data) = (name, least, data)
        }

        var testDescription: String { name }
    }

    private static let manager = CodersManager([
        .jpeg, .png, .gif, .webP, .avif, .heif, .jpegXL, .tiff, .svg, .bmp, .ico(png: .png), .gdkPixbuf,
    ])

    /// Of 256 rows.
    private static func written(_ format: ImageFormat, least: Int = 4) -> File {
        File(format.rawValue, least: least) {
            let image = try picture(PixelSize(24, 256), alpha: .opaque) { x, y in
                PixelColor(UInt8(x * 9), UInt8(y), UInt8((x * y) & 255))
            }
            return try manager.encode(image, to: format, options: EncodeOptions())
        }
    }

    static let files =
        [ImageFormat.jpeg, .png, .gif, .bmp].map { written($0) } + [
            // In one go: dav1d cannot be stopped, and libwebp is given some KB at a time.
            written(.avif, least: 1),
            written(.webP, least: 1),
            File("interlaced png", least: 1) { try fixture("adam7_5x2.png") },
            File("progressive jpeg", least: 2) { try fixture("progressive.jpg") },
            File("heic", least: 1) { try modernFixture("quarters.heic") },
            File("jxl", least: 2) { try modernFixture("quarters.jxl") },
            File("tiff", least: 1) { TIFFFile().data },
            File("ico", least: 1) { try fixture("../rarer/icon.ico") },
            File("tga", least: 1) { try fixture("../rarer/rgb24.tga") },
            File("svg", least: 2) {
                Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='4'/></svg>".utf8)
            },
        ]

    /// Says from some question on that the caller has gone.
    private final class Caller: Sendable {
        private let patience: Int
        private let count = Atomic<Int>(0)

        init(patience: Int) {
            self.patience = patience
        }

        var questionCount: Int { count.load(ordering: .relaxed) }

        var monitor: DecodeMonitor {
            DecodeMonitor(limits: DecodeLimits()) { [self] in
                count.wrappingAdd(1, ordering: .relaxed).newValue > patience
            }
        }
    }

    @Test("A cancelled encode says that storing was cancelled, whatever the format; one that takes too long, encoding")
    func cancelledEncode() throws {
        let image = try picture(PixelSize(24, 24), alpha: .opaque) { x, y in PixelColor(UInt8(x), UInt8(y), 0) }
        let coders: [(ImageFormat, any ImageCoder)] = [
            (.jpeg, .jpeg), (.png, .png), (.gif, .gif), (.webP, .webP), (.avif, .avif), (.bmp, .bmp), (.heic, .heif),
            (.jpeg, Self.manager),
        ]
        for (format, coder) in coders {
            let error = #expect(throws: ImageError.self) {
                try coder.encode(
                    image, to: format, options: EncodeOptions(), monitor: Caller(patience: 0).monitor)
            }
            #expect(error?.isCancelled == true && error?.stage == .store, "\(format)")
        }
        var limits = DecodeLimits()
        limits.maxSeconds = 1e-9
        let error = #expect(throws: ImageError.self) {
            try Self.manager.encode(
                image, to: .png, options: EncodeOptions(), monitor: DecodeMonitor(limits: limits))
        }
        #expect(error?.code == .limitExceeded && error?.stage == .store)
        #expect(error?.message.hasPrefix("encoding took longer") == true)
    }

    private func decode(_ data: Data, for caller: Caller, _ options: DecodeOptions = DecodeOptions()) throws {
        _ = try Self.manager.decode(data, options: options, monitor: caller.monitor)
    }

    @Test("B34 a cancelled decode ends, wherever it is", arguments: files)
    func B34_cancelled(_ file: File) throws {
        let data = try file.data()
        for options in [DecodeOptions(), .thumbnail(4, 4)] {
            let patient = Caller(patience: .max)
            try decode(data, for: patient, options)
            let count = patient.questionCount
            #expect(count >= (options == DecodeOptions() ? file.least : 1))
            for patience in Set([0, 1, count / 2, count - 1]) where patience < count {
                let caller = Caller(patience: patience)
                #expect(failure { try decode(data, for: caller, options) }?.code == .cancelled, "\(patience)")
                #expect(caller.questionCount == patience + 1)
            }
        }
    }

    @Test("B34 the limit of time holds", arguments: files)
    func B34_time(_ file: File) throws {
        var options = DecodeOptions()
        options.limits.maxSeconds = 1e-9
        let data = try file.data()
        let error = failure { _ = try Self.manager.decode(data, options: options) }
        #expect(error?.code == .limitExceeded && error?.message.contains("maxSeconds") == true)
    }

    static let animations = [
        File("gif", least: 1) { try fixture("gif_prev_chain.gif") },
        File("apng", least: 1) { try fixture("apng_hidden.png") },
        File("webp", least: 1) { try fixture("webp_ops.webp") },
        File("avif", least: 1) { try modernFixture("sequence.avif") },
        File("jxl", least: 1) { try modernFixture("animation.jxl") },
    ]

    @Test("B34 the limit of time holds for every frame, and a cancelled one ends", arguments: animations)
    func B34_frames(_ file: File) throws {
        let data = try file.data()
        var options = DecodeOptions()
        let caller = Caller(patience: 1)
        let frames = try Self.manager.frames(of: data, options: options).watched(by: caller.monitor)
        _ = try frames.frame(at: 0)
        #expect(failure { _ = try frames.frame(at: 1) }?.code == .cancelled)
        options.limits.maxSeconds = 1e-9
        let late = try Self.manager.frames(of: data, options: options)
        for index in [1, 0] {
            #expect(failure { _ = try late.frame(at: index) }?.message.contains("maxSeconds") == true, "frame \(index)")
        }
    }
}
