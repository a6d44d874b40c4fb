import Testing
import WebImagePixels

@Suite("Sizes in boxes")
struct FittingTests {
    @Test(
        "B37 sizes that round to nothing, or past the box",
        arguments: [
            (PixelSize(5250, 3450), ImageSize(400, 300), PixelSize(400, 263)),
            (PixelSize(1, 150), ImageSize(128, 128), PixelSize(1, 128)),
            (PixelSize(550, 5), ImageSize(80, 80), PixelSize(80, 1)),
            (PixelSize(1000, 4), ImageSize(50, 50), PixelSize(50, 1)),
            (PixelSize(858, 1), ImageSize(80, 80), PixelSize(80, 1)),
            (PixelSize(8, 8), ImageSize(100, 100), PixelSize(8, 8)),
            (PixelSize(5250, 3450), ImageSize(400, 0), PixelSize(400, 263)),
            (PixelSize(5250, 3450), ImageSize(0, 300), PixelSize(457, 300)),
            (PixelSize(5250, 3450), ImageSize(0, 0), PixelSize(5250, 3450)),
            (PixelSize(5250, 3450), ImageSize(-400, 300), PixelSize(5250, 3450)),
            (PixelSize(5250, 3450), ImageSize(.nan, 300), PixelSize(5250, 3450)),
            (PixelSize(5250, 3450), ImageSize(.infinity, 300), PixelSize(5250, 3450)),
            (PixelSize(5250, 3450), ImageSize(0.4, 0.4), PixelSize(1, 1)),
            (PixelSize(5250, 3450), ImageSize(400.9, 300.9), PixelSize(400, 263)),
        ])
    func fits(_ size: PixelSize, _ box: ImageSize, _ expected: PixelSize) {
        #expect(size.fitted(in: box) == expected)
    }

    @Test("CO-24 the scaled-size table of SDWebImage")
    func scaledSizeTable() {
        let size = PixelSize(100, 200)
        let square = ImageSize(150, 150)
        #expect(size.fitted(in: square) == PixelSize(75, 150))
        #expect(size.fitted(in: square, enlarging: .allowed) == PixelSize(75, 150))
        #expect(size.fitted(in: ImageSize(300, 300)) == PixelSize(100, 200))
        #expect(size.fitted(in: ImageSize(300, 300), enlarging: .allowed) == PixelSize(150, 300))
        #expect(size.fitted(in: square, preservesAspectRatio: false) == PixelSize(100, 150))
        #expect(size.fitted(in: square, preservesAspectRatio: false, enlarging: .allowed) == PixelSize(150, 150))
        #expect(PixelSize(0, 0).fitted(in: square) == PixelSize(0, 0))
    }

    @Test("A result never reaches past its box, nor to nothing")
    func staysInside() {
        for width in 1...40 {
            for height in [1, 7, 1000, 99_991] {
                let fitted = PixelSize(width, height).fitted(in: ImageSize(13, 17))
                #expect(fitted.width <= 13 && fitted.height <= 17 && !fitted.isEmpty)
            }
        }
    }

    @Test("Huge sides do not overflow")
    func hugeSides() {
        let huge = PixelSize(.max, .max / 2)
        #expect(huge.fitted(in: ImageSize(100, 100)) == PixelSize(100, 50))
        #expect(PixelSize(3, 5).fitted(in: ImageSize(1e300, 0), enlarging: .allowed).width > 0)
        #expect(huge.pixelCount == nil)
    }

    @Test("The part that fills a box lies in the middle")
    func centredCrop() {
        let crop = PixelSize(20, 60).centredCrop(filling: PixelSize(64, 64))
        #expect(crop == ImageRect(x: 0, y: 20, width: 20, height: 20))
    }
}
