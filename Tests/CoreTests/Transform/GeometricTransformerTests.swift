import Testing
import WebImageCore
import WebImagePixels

@Suite("Cropping, flipping, rotating, round corners")
struct GeometricTransformerTests {
    @Test("TR-02 a crop has exactly the part's size and pixels")
    func TR_02_crop() throws {
        let result = try CroppingTransformer(rect: ImageRect(x: 50, y: 10, width: 200, height: 200))
            .apply(to: testImage())
        #expect(result.pixelSize == PixelSize(200, 200))
        #expect(result.color(0, 0) == .clear && result.color(100, 10) == .black)
    }

    @Test("A crop is in points, and cut off at the picture's edge")
    func cropInPoints() throws {
        let image = drawn(PixelSize(10, 10), scale: 2) { x, y in PixelColor(UInt8(x), UInt8(y), 0) }
        let result = try CroppingTransformer(rect: ImageRect(x: 3, y: 1, width: 100, height: 1)).apply(to: image)
        #expect(result.pixelSize == PixelSize(4, 2) && result.attributes.scale == 2)
        #expect(result.color(0, 0) == PixelColor(6, 2, 0) && result.pixels.alpha == .opaque)
    }

    @Test(
        "A crop of nothing is one error",
        arguments: [
            ImageRect(x: 300, y: 0, width: 5, height: 5), ImageRect(x: -9, y: 0, width: 9, height: 5),
            ImageRect(x: 0, y: 0, width: 0, height: 5), ImageRect(x: 0, y: 0, width: -5, height: 5),
            ImageRect(x: .nan, y: 0, width: 5, height: 5), ImageRect(x: 0, y: 0, width: 5, height: .nan),
            ImageRect(x: -.infinity, y: 0, width: .infinity, height: 5), ImageRect(x: 1e300, y: 0, width: 1, height: 1),
        ])
    func cropOfNothing(_ rect: ImageRect) {
        expectTransformFailed(CroppingTransformer(rect: rect), testImage())
    }

    @Test("TR-03 round corners with a border")
    func TR_03_roundCorners() throws {
        let border = ImageBorder(width: 1, color: PixelColor(0, 0, 255))
        let result = try RoundCornerTransformer(radius: 50, border: border).apply(to: testImage())
        #expect(result.pixelSize == PixelSize(300, 300))
        #expect(result.color(0, 0) == .clear && result.color(0, 150) == PixelColor(0, 0, 255))
        #expect(result.color(150, 299) == PixelColor(0, 0, 255) && result.color(2, 150) == .clear)
        #expect(result.color(150, 20) == .black)
    }

    @Test("Only the named corners are rounded, in points")
    func someCorners() throws {
        let image = drawn(PixelSize(32, 32), scale: 2) { _, _ in .white }
        let result = try RoundCornerTransformer(radius: 4, corners: [.topLeft, .bottomRight]).apply(to: image)
        #expect(result.color(0, 0) == .clear && result.color(31, 31) == .clear)
        #expect(result.color(31, 0) == .white && result.color(0, 31) == .white && result.color(8, 0) == .white)
        #expect(result.color(2, 2)?.alpha ?? 0 > 0 && result.color(1, 1)?.alpha ?? 255 < 128)
    }

    @Test("B37 an aspect fill of 20×60 in 64×64 has round corners of radius 32")
    func B37_roundAfterFill() throws {
        let result = try PipelineTransformer([
            .resizing(to: ImageSize(64, 64), mode: .aspectFill), .roundCorner(32),
        ]).apply(to: drawn(PixelSize(20, 60)) { _, _ in PixelColor(255, 0, 0) })
        #expect(result.pixelSize == PixelSize(64, 64) && result.color(0, 0)?.alpha == 0)
        #expect(result.color(32, 32)?.alpha == 255 && result.color(32, 1)?.alpha ?? 0 > 200)
    }

    @Test(
        "Any radius and border gives a picture of the same size",
        arguments: [0.0, -1, 1e-300, 3, 1e9, .infinity, -.infinity], [0.0, -1, 0.5, 1, 1e9, .infinity])
    func anyRadius(_ radius: Double, _ width: Double) throws {
        for size in [PixelSize(1, 1), PixelSize(1, 9), PixelSize(9, 1), PixelSize(7, 5)] {
            let image = drawn(size) { _, _ in .white }
            let border = ImageBorder(width: width, color: .black)
            let result = try RoundCornerTransformer(radius: radius, border: border).apply(to: image)
            #expect(result.pixelSize == size)
            if radius <= 0, width <= 0 { #expect(result.color(0, 0) == .white) }
        }
    }

    @Test("A radius or border that is not a number is one error")
    func noNumber() {
        expectTransformFailed(RoundCornerTransformer(radius: .nan), testImage())
        let border = ImageBorder(width: .nan, color: .black)
        expectTransformFailed(RoundCornerTransformer(radius: 1, border: border), testImage())
    }

    @Test("TR-04 a turn by 45° keeps the size, or grows to 300·√2")
    func TR_04_rotation() throws {
        let clipped = try RotationTransformer(radians: .pi / 4, canvas: .clip).apply(to: testImage())
        #expect(clipped.pixelSize == PixelSize(300, 300))
        // The bar at the top, (150,20), goes to the top left: counter-clockwise.
        #expect(clipped.color(58, 58) == .black && clipped.color(242, 58) == .clear)
        let fitted = try RotationTransformer(radians: .pi / 4).apply(to: testImage())
        #expect(abs(fitted.pixelSize.width - 425) <= 1 && abs(fitted.pixelSize.height - 425) <= 1)
        #expect(fitted.color(121, 121) == .black)
    }

    @Test(
        "An angle that is no number, or a result over the limits, is one error",
        arguments: [Double.nan, .infinity, -.infinity])
    func noAngle(_ angle: Double) {
        expectTransformFailed(RotationTransformer(radians: angle), testImage())
        expectTransformFailed(RotationTransformer(radians: angle, canvas: .clip), testImage())
    }

    @Test("A long thin picture whose turn would not fit into memory is one error")
    func tooLarge() {
        let image = drawn(PixelSize(100_000, 1)) { _, _ in .white }
        expectTransformFailed(RotationTransformer(radians: 0.8), image)
    }

    @Test("TR-05 flipping both ways keeps the size and moves what was at the top to the bottom")
    func TR_05_flip() throws {
        let result = try FlippingTransformer(directions: [.horizontal, .vertical]).apply(to: testImage())
        #expect(result.pixelSize == PixelSize(300, 300) && result.color(150, 285) == .black)
        #expect(result.color(150, 20) == .clear && result.color(220, 150)?.alpha == 191)
    }

    @Test("TR-22 scaling keeps the pixel format, and white white", arguments: [PixelFormat.rgba8, .rgbaHalf])
    func TR_22_pixelFormat(_ format: PixelFormat) throws {
        // RGB888, RGB16 and float32 are formats of Core Graphics that no picture has here.
        var pixels = try #require(PixelBuffer(size: PixelSize(100, 100), layout: .init(format: format)))
        pixels.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: format.bytesPerPixel) {
                switch format {
                case .rgba8: bytes.storeBytes(of: .max, toByteOffset: offset, as: UInt32.self)
                case .rgbaHalf:
                    bytes.storeBytes(of: SIMD4(repeating: 1), toByteOffset: offset, as: SIMD4<Float16>.self)
                }
            }
        }
        let result = try ResizingTransformer(size: ImageSize(50, 50)).apply(to: DecodedImage(pixels: pixels))
        #expect(result.pixels.format == format && result.pixelSize == PixelSize(50, 50))
        #expect(result.color(25, 25) == .white && result.color(0, 49) == .white)
    }
}
