import Testing
import WebImagePixels

@Suite("Blending")
struct BlendTests {
    private let source = PixelColor(200, 100, 50)
    private let destination = PixelColor(100, 150, 250)

    private func blend(_ mode: BlendMode, _ source: PixelColor, over destination: PixelColor) -> PixelColor {
        flat(1, 1, destination).compositing(flat(1, 1, source), at: PixelPoint(x: 0, y: 0), blendMode: mode)
            .color(x: 0, y: 0)!
    }

    @Test("Core Graphics has 28, and numbers source in 18")
    func numbers() {
        #expect(BlendMode.allCases.map(\.rawValue) == Array(0..<28) && BlendMode.sourceIn.rawValue == 18)
    }

    @Test(
        "Opaque over opaque, each channel by its formula",
        arguments: [
            (BlendMode.normal, PixelColor(200, 100, 50)), (.multiply, PixelColor(78, 59, 49)),
            (.screen, PixelColor(222, 191, 251)), (.overlay, PixelColor(157, 127, 247)),
            (.darken, PixelColor(100, 100, 50)), (.lighten, PixelColor(200, 150, 250)),
            (.colorDodge, PixelColor(255, 247, 255)), (.colorBurn, PixelColor(57, 0, 230)),
            (.softLight, PixelColor(134, 137, 247)), (.hardLight, PixelColor(188, 118, 98)),
            (.difference, PixelColor(100, 50, 200)), (.exclusion, PixelColor(143, 132, 202)),
            (.clear, .clear), (.copy, PixelColor(200, 100, 50)), (.sourceIn, PixelColor(200, 100, 50)),
            (.sourceOut, .clear), (.sourceAtop, PixelColor(200, 100, 50)),
            (.destinationOver, PixelColor(100, 150, 250)), (.destinationIn, PixelColor(100, 150, 250)),
            (.destinationOut, .clear), (.destinationAtop, PixelColor(100, 150, 250)), (.xor, .clear),
            (.plusDarker, PixelColor(45, 0, 45)), (.plusLighter, PixelColor(255, 250, 255)),
        ])
    func opaque(_ mode: BlendMode, _ expected: PixelColor) {
        #expect(blend(mode, source, over: destination).isClose(to: expected), "\(mode)")
    }

    @Test("Hue, saturation, color and luminosity take what they are named after, and keep the brightness they should")
    func nonSeparable() {
        func brightness(_ color: PixelColor) -> Double {
            0.3 * Double(color.red) + 0.59 * Double(color.green) + 0.11 * Double(color.blue)
        }
        for mode in [BlendMode.hue, .saturation, .color] {
            #expect(abs(brightness(blend(mode, source, over: destination)) - brightness(destination)) <= 1.5)
        }
        #expect(abs(brightness(blend(.luminosity, source, over: destination)) - brightness(source)) <= 1.5)
        let grey = PixelColor(90, 90, 90)
        let colored = blend(.color, grey, over: destination)
        #expect(colored.red == colored.green && colored.green == colored.blue)
        #expect(blend(.luminosity, destination, over: grey).isClose(to: PixelColor(146, 146, 146)))
        let hue = blend(.hue, PixelColor(255, 0, 0), over: grey)
        #expect(hue.isClose(to: grey))
    }

    @Test(
        "Where only one of the two is",
        arguments: [BlendMode.sourceIn, .sourceOut, .destinationIn, .destinationOut, .xor])
    func shapes(_ mode: BlendMode) {
        let overNothing = blend(mode, source, over: .clear)
        let nothingOver = blend(mode, .clear, over: destination)
        let expected: (PixelColor, PixelColor) =
            switch mode {
            case .sourceOut: (source, .clear)
            case .destinationOut: (.clear, destination)
            case .xor: (source, destination)
            default: (.clear, .clear)
            }
        #expect(overNothing == expected.0 && nothingOver == expected.1)
    }

    @Test("Half a source over half a destination, as the formulas of Porter and Duff say")
    func halves() {
        let (half, other) = (PixelColor(255, 0, 0, 128), PixelColor(0, 0, 255, 128))
        #expect(blend(.normal, half, over: other).isClose(to: PixelColor(170, 0, 85, 192), 2))
        #expect(blend(.sourceIn, half, over: other).isClose(to: PixelColor(255, 0, 0, 64), 2))
        #expect(blend(.xor, half, over: other).isClose(to: PixelColor(128, 0, 128, 128), 2))
        #expect(blend(.plusLighter, half, over: other).isClose(to: PixelColor(128, 0, 128, 255), 2))
    }

    @Test("No mode makes a colour above its alpha, and only shapes make an opaque picture transparent")
    func bounds() {
        var dice = Dice(3)
        let (first, second) = (noise(PixelSize(40, 40), &dice), noise(PixelSize(40, 40), &dice))
        for mode in BlendMode.allCases {
            let result = first.compositing(second, at: PixelPoint(x: 0, y: 0), blendMode: mode)
            #expect(result.isPremultiplied, "\(mode)")
            let opaque = flat(4, 4, destination).compositing(second, at: PixelPoint(x: 0, y: 0), blendMode: mode)
            if opaque.alpha == .opaque { #expect(opaque.allColors.allSatisfy { $0.alpha == 255 }, "\(mode)") }
        }
    }

    @Test("What reaches out is left out, and outside the other picture nothing changes")
    func placement() {
        let white = flat(4, 3, .white)
        let dot = flat(2, 2, PixelColor(255, 0, 0))
        let corner = white.compositing(dot, at: PixelPoint(x: 3, y: -1), blendMode: .copy)
        #expect(corner.allColors.filter { $0 != .white } == [PixelColor(255, 0, 0)])
        #expect(corner.color(x: 3, y: 0) == PixelColor(255, 0, 0))
        for x in [Int.max, .min, 4, -2] {
            #expect(white.compositing(dot, at: PixelPoint(x: x, y: 0), blendMode: .clear).bytes == white.bytes)
        }
    }

    @Test(
        "Opacity is bounded",
        arguments: [(0.0, 0), (-1, 0), (.nan, 0), (0.5, 128), (1, 255), (7, 255), (.infinity, 255)])
    func opacity(_ opacity: Double, _ alpha: UInt8) {
        let clear = PixelBuffer(size: PixelSize(1, 1))!
        let result = clear.compositing(flat(1, 1, .white), at: PixelPoint(x: 0, y: 0), opacity: opacity)
        #expect(result.color(x: 0, y: 0)!.alpha == alpha)
    }

    @Test("A tint takes the picture's shape; a transparent one changes nothing")
    func tint() {
        let shape = picture([[.clear, PixelColor(9, 9, 9, 128), .white]]).withAlpha(.premultiplied)
        let tinted = shape.tinted(PixelColor(255, 0, 0))
        #expect(tinted.allColors == [.clear, PixelColor(255, 0, 0, 128), PixelColor(255, 0, 0)])
        #expect(shape.tinted(PixelColor(1, 2, 3, 0), blendMode: .clear).bytes == shape.bytes)
        #expect(flat(2, 2, .white).tinted(.black).alpha == .opaque)
        #expect(flat(2, 2, .white).tinted(PixelColor(0, 0, 0, 9)).alpha == .premultiplied)
        #expect(flat(2, 2, .white).tinted(.black, blendMode: .xor).allColors.allSatisfy { $0 == .clear })
    }
}
