import Foundation
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite("The format that nobody names")
struct PreferredFormatTests {
    private let coder = FakeCoder()

    /// A picture that says it may be transparent.
    private func opaque(_ size: PixelSize, _ format: ImageFormat? = nil) throws -> DecodedImage {
        var pixels = try #require(PixelBuffer(size: size))
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        return DecodedImage(pixels: pixels, attributes: .init(format: format))
    }

    @Test("Alpha that is full everywhere needs no PNG; one pixel less does, wherever it is")
    func alpha() throws {
        for width in 1...19 {
            let image = try opaque(PixelSize(width, 2))
            #expect(image.preferredFormat(for: coder) == .jpeg)
            for x in 0..<width {
                var pixels = image.pixels
                pixels.withUnsafeMutableBytes { $0[(width + x) * 4 + 3] = 254 }
                #expect(DecodedImage(pixels: pixels).preferredFormat(for: coder) == .png, "\(x) of \(width)")
            }
        }
    }

    @Test("A picture keeps its format, but for GIF, and JPEG with alpha")
    func own() throws {
        let formats: [(ImageFormat, ImageFormat)] = [(.png, .png), (.webP, .webP), (.jpeg, .jpeg), (.gif, .jpeg)]
        for (own, expected) in formats {
            #expect(try opaque(PixelSize(3, 3), own).preferredFormat(for: coder) == expected)
        }
        let clear = try #require(PixelBuffer(size: PixelSize(2, 2)))
        for own in [ImageFormat.jpeg, .gif] {
            let image = DecodedImage(pixels: clear, attributes: .init(format: own))
            #expect(image.preferredFormat(for: coder) == .png)
        }
    }

    @Test("Half floats are looked at alike")
    func halfFloats() throws {
        var pixels = try #require(PixelBuffer(size: PixelSize(2, 1), layout: .init(format: .rgbaHalf)))
        for (alpha, expected) in [(Float16(1), ImageFormat.jpeg), (0.5, .png), (.nan, .png)] {
            pixels.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: SIMD4<Float16>(1, 1, 1, 1), as: SIMD4<Float16>.self)
                bytes.storeBytes(of: SIMD4(0, 0, 0, alpha), toByteOffset: 8, as: SIMD4<Float16>.self)
            }
            #expect(DecodedImage(pixels: pixels).preferredFormat(for: coder) == expected)
        }
    }

    @Test("A file of shapes is known as one before it is drawn")
    func lazyShapes() throws {
        let bytes = Data("shapes".utf8)
        coder.script(bytes, .success(try opaque(PixelSize(2, 2), .svg)))
        var options = DecodeOptions()
        options.usesLazyDecoding = true
        let image = try CodersManager([coder]).decode(bytes, options: options)
        #expect(!image.isDecoded && image.attributes.isVector)
    }
}
