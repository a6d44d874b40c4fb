import Testing
import WebImagePixels

/// Numbers that a caller may give, and that a file of half floats may hold.
@Suite("Numbers that make no sense")
struct HostileNumbersTests {
    private func halves(_ pixels: [SIMD4<Float16>], _ alpha: AlphaMode = .premultiplied) throws -> PixelBuffer {
        let layout = PixelBuffer.Layout(format: .rgbaHalf, alpha: alpha)
        var result = try #require(PixelBuffer(size: PixelSize(pixels.count, 1), layout: layout))
        result.withUnsafeMutableBytes { bytes in
            for (x, pixel) in pixels.enumerated() {
                bytes.storeBytes(of: pixel, toByteOffset: x * 8, as: SIMD4<Float16>.self)
            }
        }
        return result
    }

    private func pixels(_ picture: PixelBuffer) -> [SIMD4<Float16>] {
        picture.withUnsafeRow(0) { row in
            (0..<picture.width).map { row.loadUnaligned(fromByteOffset: $0 * 8, as: SIMD4<Float16>.self) }
        }
    }

    @Test("Half floats are multiplied by their alpha, and divided again; light above white stays")
    func alphaOfHalfFloats() throws {
        let straight = try halves([[1, 0.5, 0, 0.5], [4, 1, 2, 1], [1, 1, 1, 0]], .straight)
        let premultiplied = straight.withAlpha(.premultiplied)
        #expect(premultiplied.alpha == .premultiplied)
        #expect(pixels(premultiplied) == [[0.5, 0.25, 0, 0.5], [4, 1, 2, 1], .zero])
        let back = premultiplied.withAlpha(.straight)
        #expect(back.alpha == .straight && pixels(back) == [[1, 0.5, 0, 0.5], [4, 1, 2, 1], .zero])
        #expect(premultiplied.color(x: 0, y: 0) == straight.color(x: 0, y: 0))
    }

    @Test("Half floats that are no numbers, or without bound, are read, resized and searched")
    func notANumber() throws {
        let numbers: [Float16] = [.nan, .infinity, -.infinity, -1, 65504]
        let source = try halves(numbers.flatMap { [SIMD4($0, 0.5, 0.25, 1), SIMD4(0.5, 0.25, 0, $0)] })
        #expect(source.color(x: 0, y: 0) == PixelColor(0, 128, 64))
        #expect(source.color(x: 2, y: 0) == PixelColor(255, 128, 64))
        for alpha in [AlphaMode.premultiplied, .straight, .opaque] {
            var source = source
            source.alpha = alpha
            #expect(source.allColors.count == 10)
            #expect(source.resized(to: PixelSize(3, 2))?.allColors.count == 6)
            #expect(source.filtered(.gamma(power: 2))?.allColors.count == 10)
            #expect(source.interestingPart(shape: PixelSize(1, 1), .entropy) != nil)
            #expect(source.interestingPart(shape: PixelSize(1, 1), .attention) != nil)
            #expect(!source.dominantColors(count: 3).isEmpty)
            _ = (source.averageColor, BlurHash(of: source), ThumbHash(of: source))
        }
    }

    @Test("Filters take any finite number: a flat picture stays flat")
    func filters() {
        let source = flat(5, 4, PixelColor(90, 60, 30))
        let unchanged: [ImageFilter] = [
            .pixellate(size: -1e300), .sharpen(radius: 1, amount: 1e300), .sharpen(radius: 1, amount: -1e300),
            .vignette(radius: 1e300, intensity: 1),
        ]
        for filter in unchanged { #expect(source.filtered(filter)?.bytes == source.bytes, "\(filter)") }
        #expect(source.filtered(.pixellate(size: 1e300))?.bytes == source.bytes)
        let dark = source.filtered(.vignette(radius: -1e300, intensity: 1))
        #expect(dark?.color(x: 2, y: 2) == PixelColor(0, 0, 0))
    }

    @Test("Sizes near the end of the numbers are fitted")
    func sizes() {
        let vast = PixelSize(.max, .max)
        #expect(vast.fitted(in: ImageSize(1, 1)) == PixelSize(1, 1))
        #expect(vast.fitted(in: ImageSize(1e300, 0)) == PixelSize(1 << 31, 1 << 31))
        #expect(PixelSize(.max, 1).fitted(in: ImageSize(3, 3)) == PixelSize(3, 1))
    }
}
