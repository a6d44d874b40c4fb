import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImageJPEG
import WebImagePNG
import WebImagePixels
import WebImageWebP

/// Whatever the bytes: a picture within the limits, or one error that says what is wrong with what.
@Suite struct HostileBytesTests {
    static let limits = DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13)
    static let names = [
        "exif_6.jpg", "icc_swapped.jpg", "halo_16.png", "adam7_5x2.png", "apng_hidden.png", "icc_swapped.png",
        "pal_oob.png", "gif_prev_chain.gif", "gif_loop2.gif", "webp_ops.webp", "icc_swapped.webp",
    ]

    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webP])
    func nothingAndRubbish(_ format: ImageFormat) throws {
        let signatures: [ImageFormat: [UInt8]] = [
            .jpeg: [0xFF, 0xD8, 0xFF], .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            .gif: Array("GIF89a".utf8), .webP: Array("RIFF\0\u{1}\0\0WEBP".utf8),
        ]
        let signature = try #require(signatures[format])
        let rubbish = (0..<4096).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3 ^ $0) }
        for bytes in [[], signature, signature + rubbish, rubbish, [0], Array(repeating: 0xFF, count: 999)] {
            let coder = coder(of: format)
            for error in [
                failure { _ = try coder.probe(Data(bytes)) },
                failure { _ = try coder.decode(Data(bytes), options: DecodeOptions(limits: Self.limits)) },
            ] {
                let error = try #require(error, "\(bytes.count) bytes")
                #expect(error.stage == .decode)
                #expect(error.message.contains(format.rawValue))
            }
        }
    }

    @Test(arguments: names)
    func everyPrefix(_ name: String) throws {
        let data = try fixture(name)
        for count in 0..<data.count {
            expectPictureOrError(data.prefix(count), of: name)
        }
    }

    @Test(arguments: names)
    func everyFlippedBit(_ name: String) throws {
        var data = try fixture(name)
        for index in data.indices {
            for bit in 0..<8 {
                data[index] ^= 1 << bit
                expectPictureOrError(data, of: name)
                data[index] ^= 1 << bit
            }
        }
    }

    @Test(arguments: names)
    func aSliceIsAsGoodAsTheWhole(_ name: String) throws {
        let data = try fixture(name)
        let slice = (Data([1, 2, 3]) + data).dropFirst(3)
        #expect(try coders.probe(slice) == coders.probe(data))
        let pixels = try coders.decode(slice, options: DecodeOptions()).pixels
        #expect(try pixels.distance(to: coders.decode(data, options: DecodeOptions()).pixels) == 0)
    }

    private func expectPictureOrError(_ data: Data, of name: String) {
        let ending = name.split(separator: ".").last.map(String.init) ?? ""
        guard let format = ImageFormat(fileExtension: ending) else { return }
        let coder = coder(of: format)
        for options in [DecodeOptions(limits: Self.limits), Self.thumbnailOptions] {
            do {
                let image = try coder.decode(data, options: options)
                #expect(image.pixelSize.pixelCount ?? .max <= Self.limits.maxPixelCount)
                #expect(image.attributes.format == format)
            } catch {
                #expect(error.message.contains(format.rawValue))
            }
        }
        if let error = failure(of: { _ = try coder.probe(data) }) {
            #expect(error.code == .badImageData)
        }
    }

    private static var thumbnailOptions: DecodeOptions {
        var options = DecodeOptions.thumbnail(3, 3)
        options.limits = limits
        // A changed profile makes a new transform each time; one of the two decodes is enough for that.
        options.colorConversion = .none
        return options
    }

    private func coder(of format: ImageFormat) -> any ImageCoder {
        switch format {
        case .jpeg: .jpeg
        case .png: .png
        case .gif: .gif
        default: .webP
        }
    }
}
