import Testing
import WebImagePixels

@Suite("Rotating")
struct RotatingTests {
    /// A picture by its red channel; opaque.
    private func reds(_ rows: [[UInt8]]) -> PixelBuffer {
        var picture = picture(rows.map { $0.map { PixelColor($0, 0, 0) } })
        picture.alpha = .opaque
        return picture
    }

    private func reds(of picture: PixelBuffer?) -> [[UInt8]]? {
        picture.map { picture in
            (0..<picture.height).map { y in
                (0..<picture.width).map { x in
                    let color = picture.color(x: x, y: y)!
                    return color.alpha == 255 ? color.red : 0
                }
            }
        }
    }

    private let source: [[UInt8]] = [[10, 20, 30], [40, 50, 60]]

    @Test("B40 quarter turns are exact, counter-clockwise, whatever the number of turns")
    func B40_quarterTurns() {
        let left: [[UInt8]] = [[30, 60], [20, 50], [10, 40]]
        let right: [[UInt8]] = [[40, 10], [50, 20], [60, 30]]
        let half: [[UInt8]] = [[60, 50, 40], [30, 20, 10]]
        let turns: [(Double, [[UInt8]])] = [
            (90, left), (450, left), (-270, left), (270, right), (-90, right), (180, half), (-180, half), (0, source),
            (360, source), (-720, source),
        ]
        for (degrees, expected) in turns {
            #expect(reds(of: reds(source).rotated(by: degrees / 180 * .pi)) == expected, "\(degrees)")
        }
        // Of single precision the quarter is still one.
        #expect(reds(of: reds(source).rotated(by: Double(Float.pi / 2))) == left)
        let four = (0..<4).reduce(reds(source)) { picture, _ in picture.rotated(by: .pi / 2)! }
        #expect(reds(of: four) == source && four.alpha == .opaque)
    }

    @Test("B40 a quarter turn in the picture's own size cuts off, and leaves the rest transparent")
    func B40_clippedQuarter() throws {
        let turned = try #require(reds(source).rotated(by: .pi / 2, canvas: .clip))
        #expect(reds(of: turned) == [[20, 50, 0], [10, 40, 0]] && turned.alpha == .premultiplied)
        let square = reds([[1, 2], [3, 4]])
        #expect(reds(of: square.rotated(by: .pi / 2, canvas: .clip)) == [[2, 4], [1, 3]])
        let column = reds([[1], [2], [3]])
        #expect(reds(of: column.rotated(by: .pi / 2, canvas: .clip)) == [[0], [2], [0]])
    }

    @Test("B40 45° of a 10×10 square: 14 or 15 with fit, 10 without, transparent corners")
    func B40_diagonal() throws {
        let square = reds(Array(repeating: Array(repeating: 200, count: 10), count: 10))
        let fitted = try #require(square.rotated(by: .pi / 4))
        #expect((14...15).contains(fitted.width) && fitted.width == fitted.height)
        #expect(fitted.color(x: 0, y: 0) == .clear)
        #expect(fitted.color(x: fitted.width - 1, y: fitted.height - 1) == .clear)
        #expect(fitted.color(x: 7, y: 7) == PixelColor(200, 0, 0))
        let clipped = try #require(square.rotated(by: .pi / 4, canvas: .clip))
        #expect(clipped.size == PixelSize(10, 10) && clipped.color(x: 5, y: 5) == PixelColor(200, 0, 0))
    }

    @Test(
        "A flat picture stays flat inside, and its edge is smooth",
        arguments: [0.1, 0.7, 2, 4, -1, 100, 1e15, 1e300])
    func flat(_ angle: Double) throws {
        let square = reds(Array(repeating: Array(repeating: 200, count: 31), count: 17))
        let turned = try #require(square.rotated(by: angle))
        var edge = 0
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                let color = try #require(turned.color(x: x, y: y))
                if color.alpha > 2 { #expect(abs(Int(color.red) - 200) <= 255 / Int(color.alpha) + 1) }
                if color.alpha > 0, color.alpha < 255 { edge += 1 }
            }
        }
        #expect(edge > 40 || turned.size == square.size || turned.size == square.size.transposed)
    }

    @Test("There and back again is nearly the same")
    func thereAndBack() throws {
        let rows = (0..<40).map { y in (0..<30).map { x in UInt8(x * 4 + y * 3) } }
        let turned = try #require(reds(rows).rotated(by: 0.5)?.rotated(by: -0.5))
        let (left, top) = ((turned.width - 30) / 2, (turned.height - 40) / 2)
        for y in 5..<35 {
            for x in 5..<25 {
                let red = try #require(turned.color(x: left + x, y: top + y)).red
                // The two canvases may stand half a pixel apart.
                #expect(abs(Int(red) - Int(rows[y][x])) <= 5)
            }
        }
    }

    @Test("Canvas of a turned size")
    func bounds() {
        #expect(PixelSize(3, 2).boundsOfRotation(by: .pi / 2) == ImageSize(2, 3))
        #expect(PixelSize(300, 300).boundsOfRotation(by: .pi / 4) == ImageSize(425, 425))
        #expect(PixelSize(1, 1).boundsOfRotation(by: 0) == ImageSize(1, 1))
    }
}
