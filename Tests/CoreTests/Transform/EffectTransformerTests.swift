import Testing
import WebImageCore
import WebImagePixels

@Suite("Tint, blur, filters")
struct EffectTransformerTests {
    @Test("TR-06 a black tint blackens what is there and leaves the rest clear")
    func TR_06_tint() throws {
        // The comparison with the platform's template tint is Apple's.
        let result = try TintTransformer(color: .black).apply(to: testImage())
        #expect(result.pixelSize == PixelSize(300, 300) && result.color(150, 150) == .clear)
        #expect(result.color(150, 20) == .black && result.color(80, 150) == PixelColor(0, 0, 0, 191))
    }

    @Test("TR-07 a blur keeps the size and the middle of large parts, and is not upside down")
    func TR_07_blur() throws {
        let result = try BlurTransformer(radius: 4).apply(to: testImage())
        #expect(result.pixelSize == PixelSize(300, 300))
        #expect(result.color(80, 150)?.isClose(to: PixelColor(200, 50, 40, 191), 3) == true)
        #expect(result.color(150, 20) != result.color(150, 280) && result.color(150, 280) == .clear)
        #expect(result.color(58, 150)?.alpha ?? 0 > 20 && result.color(58, 150)?.alpha ?? 255 < 120)
    }

    @Test("TR-08 inverting turns black to white")
    func TR_08_invert() throws {
        // The values of CIColorInvert at (80,150), which works in linear light, are Apple's.
        let result = try FilterTransformer(.invert).apply(to: testImage())
        #expect(result.pixelSize == PixelSize(300, 300) && result.color(150, 20) == .white)
        #expect(result.color(80, 150)?.isClose(to: PixelColor(55, 205, 215, 191)) == true)
        #expect(result.color(0, 0) == .clear)
    }

    @Test("A radius and a block are in points")
    func points() throws {
        let twice = testImage(scale: 2)
        let blurred = try BlurTransformer(radius: 2).apply(to: twice)
        #expect(blurred.pixels.color(x: 59, y: 150) == testImage().pixels.blurred(radius: 4)?.color(x: 59, y: 150))
        let blocks = try FilterTransformer(.pixellate(size: 5)).apply(to: twice)
        #expect(blocks.color(60, 130) == blocks.color(69, 139))
        #expect(blurred.attributes.scale == 2 && blurred.attributes.isTransformed)
    }

    @Test("What changes nothing gives the picture itself")
    func nothing() throws {
        let image = testImage()
        #expect(try BlurTransformer(radius: 0).apply(to: image) === image)
        #expect(try BlurTransformer(radius: -4).apply(to: image) === image)
        #expect(try TintTransformer(color: .clear, blendMode: .copy).apply(to: image) === image)
    }

    @Test("What is no number is one error")
    func refused() {
        let image = testImage()
        expectTransformFailed(BlurTransformer(radius: .nan), image)
        expectTransformFailed(FilterTransformer(.gamma(power: 0)), image)
        expectTransformFailed(FilterTransformer(.hue(radians: .infinity)), image)
    }

    @Test("Huge and tiny pictures' radii make no difference to the size", arguments: [1e-9, 1, 1e9, .infinity])
    func anyRadius(_ radius: Double) throws {
        for size in [PixelSize(1, 1), PixelSize(1, 40), PixelSize(40, 1)] {
            let image = drawn(size) { x, y in PixelColor(UInt8(x * 6), UInt8(y * 6), 0, 255) }
            #expect(try BlurTransformer(radius: radius).apply(to: image).pixelSize == size)
        }
    }
}
