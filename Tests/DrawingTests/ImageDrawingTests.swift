import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

@Suite("Pictures in a drawing")
struct ImageDrawingTests {
    /// Four squares: red, blue; black, white.
    private func squares(_ side: Double = 1) throws -> DecodedImage {
        try render(2 * side, 2 * side) { context in
            context.fill(Path(rect(0, 0, side, side)), with: .color(red))
            context.fill(Path(rect(side, 0, side, side)), with: .color(blue))
            context.fill(Path(rect(0, side, side, side)), with: .color(.black))
            context.fill(Path(rect(side, side, side, side)), with: .color(.white))
        }
    }

    @Test("A picture drawn pixel for pixel is the same, bytes and all")
    func exact() throws {
        let noise = try render(17, 13) { context in
            for index in 0..<221 {
                let color = PixelColor(
                    UInt8(index * 7 & 255), UInt8(index * 31 & 255), UInt8(index & 255), UInt8(index * 13 & 255))
                context.fill(Path(rect(Double(index % 17), Double(index / 17), 1, 1)), with: .color(color))
            }
        }
        for interpolation in [ImageInterpolation.none, .low, .high] {
            let copy = try render(17, 13) { $0.draw(noise, in: $0.bounds, interpolation: interpolation) }
            #expect(copy.bytes == noise.bytes)
        }
        let moved = try render(20, 20) { $0.draw(noise, in: rect(3, 2, 17, 13)) }
        #expect(moved.color(3, 2) == noise.color(0, 0) && moved.color(19, 14) == noise.color(16, 12))
        #expect(moved.color(2, 2) == .clear && moved.color(3, 15) == .clear)
    }

    @Test("An enlarged picture has sharp edges, and with no interpolation sharp pixels")
    func enlarged() throws {
        let image = try render(20, 20) { try $0.draw(squares(), in: $0.bounds, interpolation: .none) }
        #expect(image.color(0, 0) == red && image.color(9, 9) == red && image.color(10, 9) == blue)
        #expect(image.color(9, 10) == .black && image.color(19, 19) == .white)
        for interpolation in [ImageInterpolation.low, .high] {
            let smooth = try render(20, 20) { try $0.draw(squares(), in: $0.bounds, interpolation: interpolation) }
            #expect(smooth.color(0, 0)?.isClose(to: red, 8) == true && smooth.color(19, 19)?.green ?? 0 > 247)
            #expect(smooth.color(10, 2).map { $0.red > 60 && $0.red < 200 && $0.blue > 60 } == true)
        }
    }

    @Test("A picture made smaller is that of the resampler")
    func smaller() throws {
        let large = try squares(20)
        let image = try render(10, 10) { $0.draw(large, in: $0.bounds) }
        let expected = try #require(large.pixels.resized(to: PixelSize(10, 10)))
        #expect(image.pixels.color(x: 5, y: 4) == expected.color(x: 5, y: 4) && image.color(0, 0) == red)
        let turned = try render(10, 10) { context in
            context.translateBy(x: 10, y: 0)
            context.rotate(by: .pi / 2)
            context.draw(large, in: rect(0, 0, 10, 10))
        }
        #expect(turned.color(9, 0)?.isClose(to: red, 4) == true && turned.color(0, 0)?.isClose(to: .black, 4) == true)
    }

    @Test("Opacity of the picture and of the context multiply")
    func opacity() throws {
        let image = try render(4, 4, format: .init(isOpaque: true)) { context in
            context.fill(Path(context.bounds), with: .color(.white))
            context.opacity = 0.5
            try context.draw(squares(), in: context.bounds, opacity: 0.5, interpolation: .none)
        }
        #expect(image.color(0, 0)?.isClose(to: PixelColor(255, 191, 191), 2) == true)
        #expect(image.color(0, 3)?.isClose(to: PixelColor(191, 191, 191), 2) == true)
        let more = try render(2, 2) { try $0.draw(squares(), in: $0.bounds, opacity: 9) }
        let less = try render(2, 2) { try $0.draw(squares(), in: $0.bounds, opacity: -9) }
        #expect(more.color(0, 0) == red && less.ink == nil)
    }

    @Test("A clip holds for pictures, too")
    func clipped() throws {
        let image = try render(20, 20) { context in
            context.clip(to: Path(ellipseIn: context.bounds))
            try context.draw(squares(), in: context.bounds, interpolation: .none)
        }
        #expect(image.color(0, 0) == .clear && image.color(9, 9) == red && image.color(10, 10) == .white)
    }

    @Test("Rectangles of no area get nothing, and of no numbers an error")
    func badPlaces() throws {
        let picture = try squares()
        let nothing = [rect(0, 0, 0, 5), rect(0, 0, 5, 0), rect(5, 5, -5, -5), rect(0, 0, 1e-300, 5)]
        let image = try render(10, 10) { context in
            for place in nothing { context.draw(picture, in: place) }
        }
        #expect(image.ink == nil)
        for place in [rect(.nan, 0, 5, 5), rect(0, 0, .nan, 5), rect(0, 0, .infinity, 5), rect(1e300, 0, 5, 5)] {
            expectFailure { $0.draw(picture, in: place) }
        }
        expectFailure { $0.draw(picture, in: $0.bounds, opacity: .nan) }
    }

    @Test("A picture enlarged beyond all bounds takes no more memory than the drawing")
    func hugePlace() throws {
        let image = try render(4, 4) {
            try $0.draw(squares(), in: rect(-1_000, -1_000, 2_004, 2_004), interpolation: .none)
        }
        #expect(image.color(0, 0) == red && image.color(3, 3) == .white)
        let huge = rect(-1e6, -1e6, 2e6, 2e6)
        for interpolation in [ImageInterpolation.none, .low, .high] {
            _ = try render(4, 4) { try $0.draw(squares(), in: huge, interpolation: interpolation) }
        }
    }

    @Test("A picture too long for cairo is drawn smaller, or is one error")
    func longPicture() throws {
        let pixels = try #require(PixelBuffer(size: PixelSize(40_000, 1), layout: .init(alpha: .opaque)))
        let long = DecodedImage(pixels: pixels)
        let image = try render(100, 1) { $0.draw(long, in: $0.bounds) }
        #expect(image.color(50, 0) == .black)
        expectFailure { $0.draw(long, in: $0.bounds, interpolation: .low) }
        #expect { try long.drawing { _ in } } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    }

    @Test("A picture may be drawn onto itself's drawing")
    func same() throws {
        let base = try squares()
        let result = try base.drawing { $0.draw(base, in: rect(1, 1, 1, 1), interpolation: .none) }
        #expect(result.color(0, 0) == red && result.color(1, 0) == blue)
    }
}
