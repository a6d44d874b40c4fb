import Testing
import WebImagePixels

@Suite("Orientation")
struct OrientationTests {
    private static let red = PixelColor(255, 0, 0)
    private static let green = PixelColor(0, 255, 0)
    private static let blue = PixelColor(0, 0, 255)
    private static let white = PixelColor(255, 255, 255)

    /// Case B30's table: corners top left, top right, bottom left, bottom right of the upright picture.
    @Test(
        "B30 every orientation moves the corners where they belong",
        arguments: [
            (0, [red, green, blue, white]), (1, [red, green, blue, white]), (2, [green, red, white, blue]),
            (3, [white, blue, green, red]), (4, [blue, white, red, green]), (5, [red, blue, green, white]),
            (6, [blue, red, white, green]), (7, [white, green, blue, red]), (8, [green, white, red, blue]),
            (9, [red, green, blue, white]),
        ])
    func corners(_ exif: Int, _ expected: [PixelColor]) throws {
        let filler = PixelColor(9, 9, 9)
        let stored = picture([
            [Self.red, filler, Self.green], [Self.blue, filler, Self.white],
        ])
        let upright = stored.upright(from: Orientation(exif: exif))
        let right = upright.width - 1
        let bottom = upright.height - 1
        let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { upright.color(x: $0.0, y: $0.1) }
        #expect(corners == expected)
        #expect(upright.size == ((5...8).contains(exif) ? PixelSize(2, 3) : PixelSize(3, 2)))
    }

    @Test("Half floats are moved alike")
    func halfFloats() throws {
        var stored = try #require(PixelBuffer(size: PixelSize(2, 1), layout: .init(format: .rgbaHalf)))
        stored.withUnsafeMutableBytes { $0.storeBytes(of: SIMD4<Float16>(1, 0, 0, 1), as: SIMD4<Float16>.self) }
        #expect(stored.upright(from: .upMirrored).color(x: 1, y: 0) == Self.red)
        #expect(stored.upright(from: .right).size == PixelSize(1, 2))
    }

    @Test("B30 every pixel of a picture of several tiles is moved", arguments: 1...8)
    func tiles(_ exif: Int) throws {
        let stored = picture((0..<67).map { y in (0..<130).map { x in PixelColor(UInt8(x), UInt8(y), 9) } })
        let upright = stored.upright(from: Orientation(exif: exif))
        for y in 0..<67 {
            for x in 0..<130 {
                let (right, below) = (129 - x, 66 - y)
                let place = [
                    (x, y), (right, y), (right, below), (x, below), (y, x), (below, x), (below, right), (y, right),
                ][exif - 1]
                #expect(upright.color(x: place.0, y: place.1) == PixelColor(UInt8(x), UInt8(y), 9))
            }
        }
    }
}
