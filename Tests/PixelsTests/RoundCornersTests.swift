import Testing
import WebImagePixels

@Suite("Round corners")
struct RoundCornersTests {
    @Test("Each corner on its own, the rest as it was, on any size", arguments: [PixelSize(40, 30), PixelSize(31, 90)])
    func corners(_ size: PixelSize) throws {
        let source = flat(size.width, size.height, .white)
        let places: [(Corners, Int, Int)] = [
            (.topLeft, 0, 0), (.topRight, size.width - 1, 0), (.bottomLeft, 0, size.height - 1),
            (.bottomRight, size.width - 1, size.height - 1),
        ]
        for (corner, _, _) in places {
            let result = try #require(source.withRoundCorners(radius: 8, corners: corner))
            for (other, x, y) in places {
                #expect(result.color(x: x, y: y) == (other == corner ? .clear : .white))
            }
            #expect(result.allColors.filter { $0 != .white }.count < 30)
        }
    }

    @Test("A border runs along all four edges and around the corners, in one width")
    func border() throws {
        let blue = PixelColor(0, 0, 255)
        let border = ImageBorder(width: 2, color: blue)
        let result = try #require(flat(41, 33, .white).withRoundCorners(radius: 6, border: border))
        for x in 6..<35 {
            for y in [0, 1, 31, 32] { #expect(result.color(x: x, y: y) == blue) }
            for y in [2, 30] { #expect(result.color(x: x, y: y) == .white) }
        }
        for y in 6..<27 {
            for x in [0, 1, 39, 40] { #expect(result.color(x: x, y: y) == blue) }
            for x in [2, 38] { #expect(result.color(x: x, y: y) == .white) }
        }
        #expect(result.color(x: 0, y: 0) == .clear && result.color(x: 20, y: 16) == .white)
        let square = try #require(flat(9, 9, .white).withRoundCorners(radius: 0, border: border))
        #expect(square.color(x: 0, y: 0) == blue && square.color(x: 1, y: 8) == blue && square.alpha == .opaque)
    }

    @Test("A frame is as wide everywhere, and the picture stands within it as it was")
    func frame() throws {
        let result = try #require(flat(5, 4, .white).framed(by: ImageBorder(width: 3, color: .black)))
        #expect(result.size == PixelSize(11, 10) && result.alpha == .opaque)
        #expect(result.allColors.filter { $0 == .white }.count == 20)
        #expect(result.allColors.filter { $0 == .black }.count == 90)
        #expect(result.color(x: 3, y: 3) == .white && result.color(x: 7, y: 6) == .white)
    }
}
