import Testing
import WebImagePixels

@Suite("Upright pictures")
struct UprightTests {
    @Test(
        "TR-20 each orientation puts the tip of the letter where a viewer sees it",
        arguments: [
            (Orientation.up, 40, 160), (.upMirrored, 110, 160), (.down, 110, 30), (.downMirrored, 40, 30),
            (.leftMirrored, 160, 40), (.right, 30, 40), (.rightMirrored, 30, 110), (.left, 160, 110),
        ])
    func TR_20_tip(_ orientation: Orientation, _ x: Int, _ y: Int) {
        // Stored 150×200 with a black block, the tip, around (40,165), on white.
        let rows = (0..<200).map { y in
            (0..<150).map { x in (35..<46).contains(x) && (155..<176).contains(y) ? PixelColor.black : .white }
        }
        let upright = picture(rows).upright(from: orientation)
        #expect(upright.size == (orientation.isTransposed ? PixelSize(200, 150) : PixelSize(150, 200)))
        #expect(upright.color(x: x, y: y) == .black)
        let blacks = [(40, 160), (110, 160), (110, 30), (40, 30)].filter { upright.color(x: $0.0, y: $0.1) == .black }
        #expect(blacks.count <= 1)
    }
}
