import Testing
import WebImagePixels

@Suite("Reading colours")
struct PaletteTests {
    private let red = PixelColor(250, 10, 20)
    private let blue = PixelColor(10, 20, 240)
    private let green = PixelColor(30, 200, 40)

    @Test("The colours of a part come row by row, straight; none for a part that is not inside")
    func part() {
        let source = picture([[red, blue, green], [.clear, PixelColor(200, 100, 50, 128), red]])
            .withAlpha(.premultiplied)
        let colors = source.colors(in: PixelRect(x: 0, y: 0, width: 2, height: 2))
        #expect(colors?.count == 4 && colors?[0] == red && colors?[1] == blue && colors?[2] == .clear)
        #expect(colors?[3].isClose(to: PixelColor(200, 100, 50, 128)) == true)
        for rect in [
            PixelRect(x: 0, y: 0, width: 0, height: 1), PixelRect(x: -1, y: 0, width: 2, height: 1),
            PixelRect(x: 2, y: 0, width: 2, height: 1), PixelRect(x: .max, y: 0, width: .max, height: 1),
            PixelRect(x: 0, y: 0, width: -1, height: 1),
        ] { #expect(source.colors(in: rect) == nil) }
    }

    @Test("The average weighs colours by alpha")
    func average() {
        #expect(flat(7, 3, blue).averageColor == blue)
        #expect(picture([[red, PixelColor(0, 255, 0, 0)]]).averageColor.isClose(to: PixelColor(250, 10, 20, 128)))
        #expect(flat(2, 2, .clear).averageColor == .clear)
        #expect(picture([[.black, .white]]).averageColor.isClose(to: PixelColor(128, 128, 128)))
    }

    @Test("The commonest colours come first; flat ones as they are")
    func dominant() {
        let row = Array(repeating: red, count: 2) + Array(repeating: blue, count: 5) + Array(repeating: green, count: 3)
        let source = picture(Array(repeating: row, count: 4))
        #expect(source.dominantColors(count: 3) == [blue, green, red])
        #expect(source.dominantColors(count: 9) == [blue, green, red])
        #expect(source.dominantColors(count: 1).count == 1)
        #expect(source.dominantColors(count: 0).isEmpty && source.dominantColors(count: -1).isEmpty)
        #expect(flat(3, 3, .clear).dominantColors(count: 4).isEmpty)
    }

    @Test("Many shades of two colours make two boxes")
    func shades() throws {
        var dice = Dice(9)
        let rows = (0..<20).map { _ in
            (0..<20).map { x in
                let shade = UInt8.random(in: 0...30, using: &dice)
                return x < 14 ? PixelColor(200 + shade, shade, shade) : PixelColor(shade, shade, 200 + shade)
            }
        }
        let colors = picture(rows).dominantColors(count: 2)
        #expect(colors.count == 2 && colors[0].isClose(to: PixelColor(215, 15, 15), 6))
        #expect(colors[1].isClose(to: PixelColor(15, 15, 215), 6))
    }

    @Test("Asked for more than there are, every step of colour comes once")
    func manyColors() {
        let steps: [UInt8] = (0..<32).map { $0 * 8 }
        let rows: [[PixelColor]] = steps.map { green in
            steps.map { PixelColor($0, green, 0) } + steps.map { PixelColor($0, green, 8) }
        }
        let colors = picture(rows).dominantColors(count: .max)
        #expect(colors.count == 2048 && Set(colors).count == 2048)
    }

    @Test("Colours as numbers")
    func hexadecimal() {
        #expect(PixelColor.black.hexadecimal == "#ff000000" && PixelColor.clear.hexadecimal == "#00000000")
        #expect(PixelColor(1, 171, 254, 16).hexadecimal == "#1001abfe")
    }
}
