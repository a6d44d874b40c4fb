import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

@Suite("Gradients, blending and layers")
struct ShadingTests {
    private func filled(_ shading: Shading, width: Double = 20, height: Double = 20) throws -> DecodedImage {
        try render(width, height) { $0.fill(Path($0.bounds), with: shading) }
    }

    @Test("A linear gradient has its colours at the ends, their mean in the middle, and goes on beyond")
    func linear() throws {
        let gradient = Gradient([red, blue])
        let image = try filled(.linearGradient(gradient, from: ImagePoint(20, 0), to: ImagePoint(80, 0)), width: 100)
        #expect(image.color(0, 0) == red && image.color(19, 9) == red)
        #expect(image.color(80, 0) == blue && image.color(99, 5) == blue)
        #expect(image.color(50, 5)?.isClose(to: PixelColor(127, 0, 128), 4) == true)
    }

    @Test("A radial gradient has its first colour inside and its last outside")
    func radial() throws {
        let gradient = Gradient([red, blue])
        let shading = Shading.radialGradient(
            gradient, center: ImagePoint(50, 50), startRadius: 10, endRadius: 40)
        let image = try filled(shading, width: 100, height: 100)
        #expect(image.color(50, 50) == red && image.color(50, 42) == red)
        #expect(image.color(50, 5) == blue && image.color(0, 0) == blue)
        #expect(image.color(75, 50)?.isClose(to: PixelColor(127, 0, 128), 6) == true)
    }

    @Test("Stops stand where they are told, in any order and bounded")
    func stops() throws {
        let gradient = Gradient(stops: [
            .init(blue, at: 7), .init(.white, at: 0.5), .init(red, at: 0.5), .init(.black, at: -3),
        ])
        let image = try filled(
            .linearGradient(gradient, from: ImagePoint(0, 0), to: ImagePoint(100, 0)), width: 100)
        #expect(image.color(0, 0)?.isClose(to: .black, 4) == true)
        #expect(image.color(49, 0)?.isClose(to: .white, 5) == true && image.color(50, 0)?.isClose(to: red, 5) == true)
        #expect(image.color(99, 0)?.isClose(to: blue, 4) == true)
    }

    @Test("A gradient of no length has its last colour everywhere, one of no colours draws nothing")
    func degenerate() throws {
        let (gradient, place) = (Gradient([red, blue]), ImagePoint(10, 10))
        #expect(try filled(.linearGradient(gradient, from: place, to: place)).color(0, 0) == blue)
        let ring = Shading.radialGradient(gradient, center: place, startRadius: 5, endRadius: 5)
        #expect(try filled(ring).color(10, 10) == blue)
        let single = Shading.linearGradient(Gradient([red]), from: place, to: ImagePoint(20, 20))
        #expect(try filled(single).color(0, 0) == red)
        #expect(try filled(.linearGradient(Gradient([]), from: place, to: ImagePoint(20, 20))).ink == nil)
    }

    @Test("Gradients that cannot be drawn are one error")
    func badGradients() {
        let (gradient, place) = (Gradient([red, blue]), ImagePoint(10, 10))
        let shadings: [Shading] = [
            .linearGradient(gradient, from: ImagePoint(.nan, 0), to: place),
            .linearGradient(gradient, from: place, to: ImagePoint(0, .infinity)),
            .linearGradient(Gradient(stops: [.init(red, at: .nan)]), from: place, to: ImagePoint(0, 0)),
            .linearGradient(
                Gradient([PixelColor](repeating: red, count: 1_001)), from: place, to: ImagePoint(0, 0)),
            .radialGradient(gradient, center: place, startRadius: -1, endRadius: 5),
            .radialGradient(gradient, center: place, startRadius: 0, endRadius: .infinity),
            .radialGradient(gradient, center: place, startRadius: .nan, endRadius: 5),
            .radialGradient(gradient, center: ImagePoint(0, .nan), startRadius: 1, endRadius: 5),
        ]
        for shading in shadings { expectFailure { $0.fill(Path($0.bounds), with: shading) } }
    }

    @Test("Opacity weakens colours and gradients, is bounded, and ends with what was saved")
    func opacity() throws {
        let image = try render(4, 1) { context in
            context.saved {
                context.opacity = 0.5
                context.fill(Path(rect(0, 0, 1, 1)), with: .color(red))
                let gradient = Gradient([red, red])
                context.fill(
                    Path(rect(1, 0, 1, 1)),
                    with: .linearGradient(gradient, from: ImagePoint(0, 0), to: ImagePoint(4, 0)))
                context.opacity = 7
                context.fill(Path(rect(2, 0, 1, 1)), with: .color(red))
                context.opacity = -1
            }
            context.fill(Path(rect(3, 0, 1, 1)), with: .color(red))
        }
        #expect(image.color(0, 0)?.isClose(to: PixelColor(255, 0, 0, 128), 1) == true)
        #expect(image.color(1, 0)?.isClose(to: PixelColor(255, 0, 0, 128), 1) == true)
        #expect(image.color(2, 0) == red && image.color(3, 0) == red)
        expectFailure { $0.opacity = .nan }
    }

    @Test("Every blend mode gives what blending pixel by pixel gives", arguments: BlendMode.allCases)
    func blendModes(_ mode: BlendMode) throws {
        guard mode != .plusDarker else {
            return expectFailure { context in
                context.blendMode = .plusDarker
                context.fill(Path(context.bounds), with: .color(red))
            }
        }
        let (below, above) = (PixelColor(200, 100, 40, 180), PixelColor(60, 160, 220, 128))
        let base = try filled(.color(below), width: 4, height: 1)
        let over = try filled(.color(above), width: 2, height: 1)
        let expected = base.pixels.compositing(over.pixels, at: PixelPoint(x: 0, y: 0), blendMode: mode)
        let shape = try base.drawing { context in
            context.blendMode = mode
            context.fill(Path(rect(0, 0, 2, 1)), with: .color(above))
        }
        let picture = try base.drawing { context in
            context.blendMode = mode
            context.draw(over, in: rect(0, 0, 2, 1))
        }
        for image in [shape, picture] {
            let (color, other) = (try #require(image.color(1, 0)), try #require(expected.color(x: 1, y: 0)))
            #expect(color.isClose(to: other, 4), "\(mode): \(color), not \(other)")
            #expect(image.color(2, 0) == base.color(2, 0), "\(mode) reaches out")
        }
    }

    @Test("A layer is laid over the drawing as one picture")
    func layers() throws {
        let image = try render(10, 10) { context in
            context.opacity = 0.5
            context.withLayer {
                #expect(context.opacity == 1 && context.blendMode == .normal)
                context.fill(Path(rect(0, 0, 6, 10)), with: .color(red))
                context.fill(Path(rect(4, 0, 6, 10)), with: .color(blue))
            }
            #expect(context.opacity == 0.5)
        }
        #expect(image.color(1, 1)?.isClose(to: PixelColor(255, 0, 0, 128), 1) == true)
        #expect(image.color(5, 5)?.isClose(to: PixelColor(0, 0, 255, 128), 1) == true)
    }

    @Test("A rectangle is cleared whatever blend mode and opacity are set")
    func clear() throws {
        let image = try render(4, 4) { context in
            context.fill(Path(context.bounds), with: .color(red))
            context.opacity = 0.2
            context.blendMode = .multiply
            context.clear(rect(1, 1, 2, 2))
        }
        #expect(image.color(1, 1) == .clear && image.color(2, 2) == .clear && image.color(3, 3) == red)
    }
}
