import Testing
import WebImagePixels

@Suite("The part that matters")
struct SmartCropTests {
    /// Grey, with a checkered block that begins at a column or row.
    private func scene(_ size: PixelSize, blockAt start: Int, sideways: Bool) -> PixelBuffer {
        let rows = (0..<size.height).map { y in
            (0..<size.width).map { x in
                guard (start..<start + 20).contains(sideways ? x : y) else { return PixelColor(120, 120, 120) }
                return (x / 3 + y / 3) % 2 == 0 ? PixelColor(240, 40, 30) : PixelColor(20, 30, 40)
            }
        }
        return picture(rows).withAlpha(.premultiplied)
    }

    @Test("It holds what there is to see, wherever that is", arguments: CropInterest.allCases, [0, 37, 60, 100])
    func found(_ interest: CropInterest, _ start: Int) throws {
        let wide = scene(PixelSize(120, 30), blockAt: start, sideways: true)
        let part = try #require(wide.interestingPart(shape: PixelSize(1, 1), interest))
        #expect(part.width == 30 && part.height == 30 && part.y == 0)
        #expect(part.x >= 0 && part.x <= 90)
        #expect(part.x <= Double(start) + 2 && part.x + 30 >= Double(start + 20) - 2, "\(part)")
        let tall = scene(PixelSize(30, 120), blockAt: start, sideways: false)
        let other = try #require(tall.interestingPart(shape: PixelSize(1, 1), interest))
        #expect(other.y <= Double(start) + 2 && other.y + 30 >= Double(start + 20) - 2)
    }

    @Test("Of what is all alike it is the middle", arguments: CropInterest.allCases)
    func middle(_ interest: CropInterest) throws {
        let part = try #require(flat(101, 20, .white).interestingPart(shape: PixelSize(2, 1), interest))
        #expect(abs(part.x - 30.5) <= 1 && part.width == 40)
        #expect(flat(9, 9, .clear).interestingPart(shape: PixelSize(3, 1), interest)?.height == 3)
    }

    @Test("Any shape of any picture lies within it", arguments: CropInterest.allCases)
    func shapes(_ interest: CropInterest) throws {
        var dice = Dice(11)
        for size in [PixelSize(1, 1), PixelSize(1, 50), PixelSize(50, 1), PixelSize(33, 21)] {
            for shape in [PixelSize(1, 1), PixelSize(1, 1000), PixelSize(100_000, 1), PixelSize(.max, .max)] {
                let part = try #require(noise(size, &dice).interestingPart(shape: shape, interest))
                #expect(part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0)
                #expect(part.x + part.width <= Double(size.width) + 1e-6)
                #expect(part.y + part.height <= Double(size.height) + 1e-6)
            }
        }
        #expect(flat(3, 3, .white).interestingPart(shape: PixelSize(0, 1), interest) == nil)
    }
}
