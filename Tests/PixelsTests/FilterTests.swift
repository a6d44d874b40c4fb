import Testing
import WebImagePixels

@Suite("Filters")
struct FilterTests {
    private func color(_ color: PixelColor, _ filter: ImageFilter) -> PixelColor? {
        flat(1, 1, color).filtered(filter)?.color(x: 0, y: 0)
    }

    private let orange = PixelColor(200, 100, 50)

    @Test("Colours by the filters' definitions")
    func colors() {
        #expect(color(orange, .invert) == PixelColor(55, 155, 205))
        #expect(color(orange, .grayscale)?.isClose(to: PixelColor(118, 118, 118)) == true)
        #expect(color(orange, .sepia())?.isClose(to: PixelColor(165, 147, 114)) == true)
        #expect(color(orange, .sepia(intensity: 0)) == orange)
        #expect(color(orange, .gamma(power: 2))?.isClose(to: PixelColor(157, 39, 10)) == true)
        #expect(color(orange, .gamma(power: 1)) == orange)
        #expect(color(orange, .hue(radians: 0))?.isClose(to: orange) == true)
        let controls = ImageFilter.colorControls(brightness: 0.1, contrast: 2, saturation: 1)
        #expect(color(orange, controls)?.isClose(to: PixelColor(255, 98, 0)) == true)
        #expect(color(orange, .colorControls(saturation: 0)) == color(orange, .grayscale))
        #expect(color(orange, .colorControls()) == orange)
    }

    @Test("A hue turned by a third, three times, is back where it was; grey stays grey")
    func hue() throws {
        let muted = PixelColor(140, 120, 110)
        var picture = flat(1, 1, muted)
        for _ in 0..<3 { picture = try #require(picture.filtered(.hue(radians: 2 * .pi / 3))) }
        #expect(picture.color(x: 0, y: 0)?.isClose(to: muted, 3) == true)
        #expect(color(PixelColor(80, 80, 80), .hue(radians: 1))?.isClose(to: PixelColor(80, 80, 80)) == true)
    }

    @Test("Alpha stays, and colours are taken straight")
    func alpha() {
        let half = PixelColor(200, 100, 50, 128)
        #expect(color(half, .invert)?.isClose(to: PixelColor(55, 155, 205, 128), 2) == true)
        #expect(color(.clear, .invert) == .clear)
        let shape = ColorMatrix(alpha: [0, 0, 0, 0.5])
        #expect(color(orange, .colorMatrix(shape))?.isClose(to: PixelColor(200, 100, 50, 128)) == true)
        let swapped = ColorMatrix(red: [0, 0, 1, 0], blue: [1, 0, 0, 0])
        #expect(color(orange, .colorMatrix(swapped)) == PixelColor(50, 100, 200))
    }

    @Test("Blocks are of their mean colour, the last ones cut off")
    func pixellate() throws {
        let rows = (0..<5).map { y in (0..<5).map { x in PixelColor(UInt8(x * 10), UInt8(y * 10), 0) } }
        let result = try #require(picture(rows).filtered(.pixellate(size: 2)))
        #expect(result.size == PixelSize(5, 5) && result.color(x: 0, y: 0) == PixelColor(5, 5, 0))
        #expect(result.color(x: 3, y: 1) == PixelColor(25, 5, 0) && result.color(x: 4, y: 4) == PixelColor(40, 40, 0))
        #expect(result.color(x: 4, y: 0) == PixelColor(40, 5, 0))
        let one = try #require(picture(rows).filtered(.pixellate(size: 1e300)))
        #expect(Set(one.allColors) == [PixelColor(20, 20, 0)])
        #expect(picture(rows).filtered(.pixellate(size: -3))?.color(x: 3, y: 3) == PixelColor(30, 30, 0))
    }

    @Test("Sharpening lifts an edge's contrast and leaves flat parts and alpha")
    func sharpen() throws {
        let row = (0..<20).map { $0 < 10 ? PixelColor(100, 100, 100) : PixelColor(150, 150, 150) }
        let result = try #require(picture(Array(repeating: row, count: 4)).filtered(.sharpen(radius: 1.5, amount: 1)))
        #expect(result.color(x: 0, y: 0) == row[0] && result.color(x: 19, y: 0) == row[19])
        let (dark, light) = (try #require(result.color(x: 9, y: 1)), try #require(result.color(x: 10, y: 1)))
        #expect(dark.red < 90 && light.red > 160)
        #expect(flat(3, 3, orange).filtered(.sharpen(radius: 0, amount: 1))?.color(x: 1, y: 1) == orange)
    }

    @Test("A vignette leaves the middle and darkens the corners")
    func vignette() throws {
        let result = try #require(flat(41, 21, .white).filtered(.vignette(radius: 0.5, intensity: 1)))
        #expect(result.color(x: 20, y: 10) == .white && result.color(x: 0, y: 0)?.red ?? 255 < 16)
        #expect(result.color(x: 0, y: 0)?.alpha == 255)
        #expect(flat(9, 9, .white).filtered(.vignette(radius: 1, intensity: 1))?.color(x: 0, y: 0) == .white)
        #expect(flat(9, 9, .white).filtered(.vignette(radius: 0, intensity: 0))?.color(x: 0, y: 0) == .white)
    }

    @Test(
        "Huge numbers give a picture, others none",
        arguments: [
            ImageFilter.colorControls(brightness: 1e300, contrast: -1e300, saturation: 1e300),
            .sepia(intensity: -1e300),
            .hue(radians: 1e300), .gamma(power: 1e300), .gamma(power: 1e-300), .sharpen(radius: 1e300, amount: 1e300),
            .pixellate(size: 1e300), .vignette(radius: -1e300, intensity: 1e300),
            .colorMatrix(ColorMatrix(red: SIMD4(repeating: 1e300), bias: SIMD4(repeating: -1e300))),
        ])
    func huge(_ filter: ImageFilter) throws {
        var dice = Dice(5)
        for size in [PixelSize(1, 1), PixelSize(1, 7), PixelSize(5, 3)] {
            let result = try #require(noise(size, &dice).filtered(filter))
            #expect(result.size == size && result.isPremultiplied, "\(filter)")
        }
    }

    @Test(
        "What is no number is no picture",
        arguments: [
            ImageFilter.colorControls(brightness: .nan), .sepia(intensity: .infinity), .hue(radians: .nan),
            .gamma(power: 0), .gamma(power: -1), .gamma(power: .nan), .sharpen(radius: .infinity),
            .sharpen(amount: .nan),
            .pixellate(size: .nan), .vignette(radius: .infinity),
            .colorMatrix(ColorMatrix(bias: SIMD4(.nan, 0, 0, 0))),
        ])
    func refused(_ filter: ImageFilter) {
        #expect(flat(3, 3, orange).filtered(filter) == nil)
    }

    @Test("Half floats go through the filters alike")
    func halfFloats() throws {
        var half = try #require(PixelBuffer(size: PixelSize(1, 1), layout: .init(format: .rgbaHalf)))
        half.withUnsafeMutableBytes { $0.storeBytes(of: SIMD4<Float16>(0.25, 0.5, 0.75, 1), as: SIMD4<Float16>.self) }
        #expect(half.filtered(.invert)?.color(x: 0, y: 0) == PixelColor(191, 128, 64))
        #expect(half.filtered(.gamma(power: 2))?.color(x: 0, y: 0)?.isClose(to: PixelColor(16, 64, 143)) == true)
        #expect(half.filtered(.sharpen())?.bytes == half.bytes && half.blurred(radius: 2)?.bytes == half.bytes)
    }
}
