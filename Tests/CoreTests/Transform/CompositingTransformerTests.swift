import Testing
import WebImageCore
import WebImagePixels

@Suite("Circle, border, overlay, compositing, watermark, smart crop, closure")
struct CompositingTransformerTests {
    private let red = PixelColor(255, 0, 0)

    private func white(_ width: Int, _ height: Int, scale: Double = 1) -> DecodedImage {
        drawn(PixelSize(width, height), scale: scale) { _, _ in .white }
    }

    @Test("A circle is the square in the middle, transparent in its corners")
    func circle() throws {
        let image = drawn(PixelSize(60, 20)) { x, _ in x < 20 ? .black : PixelColor(255, 0, 0) }
        let result = try CircleTransformer().apply(to: image)
        #expect(result.pixelSize == PixelSize(20, 20) && result.color(0, 0) == .clear && result.color(10, 1) == red)
        let border = ImageBorder(width: 2, color: .black)
        #expect(try CircleTransformer(border: border).apply(to: image).color(10, 1) == .black)
        #expect(try CircleTransformer().apply(to: white(1, 1)).pixelSize == PixelSize(1, 1))
        let none = ImageBorder(width: .nan, color: .black)
        expectTransformFailed(CircleTransformer(border: none), image)
    }

    @Test("A border is around the picture, in points")
    func border() throws {
        let result = try BorderTransformer(ImageBorder(width: 2, color: red)).apply(to: white(5, 3, scale: 2))
        #expect(result.pixelSize == PixelSize(13, 11) && result.pixels.alpha == .opaque)
        #expect(result.color(3, 3) == red && result.color(4, 4) == .white && result.color(8, 6) == .white)
        #expect(result.color(9, 6) == red && result.color(12, 10) == red)
        #expect(try BorderTransformer(ImageBorder(width: -1, color: red)).apply(to: white(5, 3)).color(0, 0) == .white)
        for width in [Double.nan, .infinity, 1e300, 1e6] {
            expectTransformFailed(BorderTransformer(ImageBorder(width: width, color: red)), white(5, 3))
        }
    }

    @Test("An overlay keeps to the picture's shape")
    func overlay() throws {
        let transformer: any ImageTransformer = .overlay(PixelColor(255, 0, 0, 128))
        let result = try transformer.apply(to: testImage())
        #expect(result.color(150, 20)?.isClose(to: PixelColor(128, 0, 0)) == true && result.color(0, 0) == .clear)
    }

    @Test(
        "A mark stands at its anchor, the margin in points from the sides that it names",
        arguments: [
            (ImageAnchor.topLeft, 2, 2), (.top, 8, 2), (.topRight, 14, 2), (.left, 2, 5), (.center, 8, 5),
            (.right, 14, 5), (.bottomLeft, 2, 8), (.bottom, 8, 8), (.bottomRight, 14, 8),
        ])
    func anchors(_ anchor: ImageAnchor, _ x: Int, _ y: Int) throws {
        let mark = drawn(PixelSize(4, 2)) { _, _ in PixelColor(255, 0, 0) }
        let transformer: any ImageTransformer = .watermark(mark, anchor: anchor, margin: 1, opacity: 0.5)
        let result = try transformer.apply(to: white(20, 12, scale: 2))
        let pink = PixelColor(255, 128, 128)
        #expect(result.color(x, y)?.isClose(to: pink) == true && result.color(x + 3, y + 1)?.isClose(to: pink) == true)
        #expect(result.color(x - 1, y) == .white && result.color(x, y + 2) == .white)
    }

    @Test("A mark larger than the picture, or far outside, is cut off")
    func largeMark() throws {
        let mark = drawn(PixelSize(40, 40)) { _, _ in PixelColor(255, 0, 0) }
        let over: any ImageTransformer = .compositing(mark)
        #expect(try over.apply(to: white(3, 3)).color(1, 1) == red)
        let outside: any ImageTransformer = .watermark(mark, margin: 1e300)
        #expect(try outside.apply(to: white(3, 3)).color(1, 1) == .white)
        for (margin, opacity) in [(Double.nan, 1), (.infinity, 1), (0, .nan)] {
            let transformer: any ImageTransformer = .watermark(mark, margin: margin, opacity: opacity)
            expectTransformFailed(transformer, white(3, 3))
        }
    }

    @Test("Keys tell pictures, places, modes and opacities apart, and the same pixels alike")
    func keys() {
        func mark(_ color: PixelColor, _ width: Int = 2) -> DecodedImage {
            drawn(PixelSize(width, 4 / width)) { _, _ in color }
        }
        let transformers: [any ImageTransformer] = [
            .compositing(mark(red)), .compositing(mark(.black)), .compositing(mark(red, 4)),
            .compositing(mark(red), blendMode: .multiply), .compositing(mark(red), opacity: 0.5),
            .watermark(mark(red)), .watermark(mark(red), anchor: .top), .watermark(mark(red), margin: 1),
            .circle, .circle(border: ImageBorder(width: 1, color: red)), .border(width: 1, color: red),
            .border(width: 2, color: red), .smartCrop(to: ImageSize(1, 2)), .smartCrop(to: ImageSize(2, 1)),
            .smartCrop(to: ImageSize(1, 2), interest: .entropy), .overlay(red), .tint(red),
        ]
        #expect(Set(transformers.map(\.key)).count == transformers.count)
        #expect(CompositingTransformer(overlay: mark(red)).key == transformers[0].key)
        for transformer in transformers {
            #expect(CacheKey("a").appending(transformer.key).text == "a-" + transformer.key)
        }
    }

    @Test("A smart crop has exactly the size asked for and holds what there is to see")
    func smartCrop() throws {
        let image = drawn(PixelSize(120, 40), scale: 2) { x, y in
            x >= 90 && (x / 3 + y / 3) % 2 == 0 ? PixelColor(255, 0, 0) : PixelColor(90, 90, 90)
        }
        let result = try SmartCropTransformer(size: ImageSize(10, 10)).apply(to: image)
        #expect(result.pixelSize == PixelSize(20, 20))
        #expect(result.pixels.averageColor.red > 110)
        for size in [ImageSize(0, 1), ImageSize(.nan, 1), ImageSize(1e9, 1e9), ImageSize(-1, 5)] {
            expectTransformFailed(SmartCropTransformer(size: size), image)
        }
    }

    @Test("A closure's key cannot be mistaken for another's, and its error is told")
    func closure() throws {
        let flip = ClosureTransformer(key: "a)-Blur(5.0,1") { $0.flipped(.horizontal) }
        #expect(flip.key == "Custom(a%29-Blur%285.0,1)")
        #expect(CacheKey("a").appending(flip.key).text == "a-" + flip.key)
        let image = drawn(PixelSize(2, 1)) { x, _ in x == 0 ? .black : .white }
        #expect(try flip.apply(to: image).color(0, 0) == .white)
        struct Refusal: Error {}
        let failing = ClosureTransformer(key: "failing") { _ in throw Refusal() }
        expectTransformFailed(failing, image)
        #expect { try failing.apply(to: image) } throws: { error in
            let error = error as? ImageError
            return error?.underlying is Refusal && error?.message == "the closure of Custom(failing) failed: Refusal()"
        }
        let own = ClosureTransformer(key: "own") { _ in throw ImageError(.limitExceeded, .transform, "no") }
        #expect { try own.apply(to: image) } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    }

    @Test("Colours of a picture are read by place and by part")
    func colors() {
        let image = drawn(PixelSize(2, 2)) { x, y in PixelColor(UInt8(x * 100), UInt8(y * 100), 7) }
        #expect(image.color(at: PixelPoint(x: 1, y: 0)) == PixelColor(100, 0, 7))
        #expect(image.color(at: PixelPoint(x: 2, y: 0)) == nil && image.color(at: PixelPoint(x: 0, y: -1)) == nil)
        #expect(image.colors(in: PixelRect(x: 0, y: 1, width: 2, height: 1))?.count == 2)
        #expect(image.colors(in: PixelRect(x: 0, y: 1, width: 2, height: 2)) == nil)
    }

    @Test("TR-05 the colours of a clear part are equal")
    func TR_05_colorsInPart() {
        let colors = testImage().colors(in: PixelRect(x: 0, y: 0, width: 10, height: 10))
        #expect(colors?.count == 100 && Set(colors ?? []) == [.clear])
    }
}
