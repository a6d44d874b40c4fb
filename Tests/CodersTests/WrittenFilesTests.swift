import Foundation
import Testing
import WebImageAllFormats
import WebImageCore
import WebImagePixels

/// What holds for every format that is written, by each coder itself.
@Suite struct WrittenFilesTests {
    static let coders: [ImageFormat: any MetadataImageCoder] = [
        .jpeg: .jpeg, .png: .png, .gif: .gif, .webP: .webP, .avif: .avif, .heic: .heif,
    ]
    static let formats: [ImageFormat] = [.jpeg, .png, .gif, .webP, .avif, .heic, .bmp]

    private static func coder(of format: ImageFormat) -> any ImageCoder {
        coders[format] ?? BMPCoder()
    }

    private static func noise(_ size: PixelSize) throws -> DecodedImage {
        try picture(size, alpha: .opaque) { x, y in
            PixelColor(UInt8(x * 31 & 255), UInt8((x ^ y * 5) & 255), UInt8(x * y & 255))
        }
    }

    @Test("CO-09 a largest size of the file is searched for", arguments: formats)
    func CO_09_maxByteCount(_ format: ImageFormat) throws {
        let coder = Self.coder(of: format)
        let image = try Self.noise(PixelSize(64, 48))
        var options = EncodeOptions()
        let full = try coder.encode(image, to: format, options: options).count
        options.maxByteCount = full / 2
        let smaller = try coder.encode(image, to: format, options: options)
        #expect(smaller.count <= full / 2 && smaller.count > full / 20)
        options.maxByteCount = 3
        let error = failure { _ = try coder.encode(image, to: format, options: options) }
        #expect(error?.code == .encodingFailed && error?.message.contains("maxByteCount") == true)
    }

    @Test("CO-23 a largest size in pixels is kept", arguments: formats)
    func CO_23_maxPixelSize(_ format: ImageFormat) throws {
        let coder = Self.coder(of: format)
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(20, 20)
        let data = try coder.encode(Self.noise(PixelSize(64, 48)), to: format, options: options)
        #expect(try coder.probe(data).size == PixelSize(20, 15))
    }

    @Test("each policy of metadata, with what the format can hold", arguments: formats, MetadataPolicy.allCases)
    func metadata(_ format: ImageFormat, _ policy: MetadataPolicy) throws {
        var options = EncodeOptions()
        options.metadata.exif = Self.exif
        options.metadata.xmp = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
        options.metadata.iptc = Data([28, 2, 25, 0, 1, 65])
        options.metadata = options.metadata.filtered(by: policy)
        let data = try Self.coder(of: format).encode(Self.noise(PixelSize(8, 8)), to: format, options: options)
        #expect(try Self.coder(of: format).probe(data).orientation == .up)
        guard let coder = Self.coders[format] else { return }
        let written = try coder.metadata(of: data, limits: DecodeLimits())
        let isKept = policy == .all || policy == .allWithoutLocation
        #expect((written.exif != nil) == (isKept && format != .gif))
        #expect((written.xmp != nil) == isKept)
        #expect((written.iptc != nil) == (isKept && format == .jpeg))
        #expect((written.exifTags?.location != nil) == (policy == .all && format != .gif))
        #expect(written.exif.map { Orientation(exifBlock: $0) == .up } ?? true)
    }

    /// Turned, and somewhere.
    private static var exif: Data {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
        }
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let main = number(2, 2) + entry(274, 3, 1, 6) + entry(34853, 4, 1, 38) + number(0, 4)
        let north = entry(1, 2, 2, 0x4E) + entry(2, 5, 3, 92)
        let east = entry(3, 2, 2, 0x45) + entry(4, 5, 3, 116)
        let place = number(4, 2) + north + east + number(0, 4)
        let degrees = [48, 8, 0, 11, 34, 0].flatMap { number($0, 4) + number(1, 4) }
        return Data(Array("II*\0".utf8) + number(8, 4) + main + place + degrees)
    }
}
