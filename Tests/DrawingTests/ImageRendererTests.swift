import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

@Suite("Image renderer")
struct ImageRendererTests {
    @Test("UT-04 the default format is one pixel a point and not opaque; red and black read back exactly")
    func UT_04_renderer() throws {
        #expect(ImageRendererFormat().scale == 1 && !ImageRendererFormat().isOpaque)
        let image = try render(100, 100) { context in
            context.fill(Path(context.bounds), with: .color(red))
            context.fill(Path(rect(50, 0, 50, 100)), with: .color(.black))
        }
        #expect(image.pixelSize == PixelSize(100, 100) && image.attributes.scale == 1)
        #expect(image.color(0, 0) == red && image.color(49, 99) == red)
        #expect(image.color(50, 0) == .black && image.color(99, 99) == .black)
    }

    @Test("A new picture is transparent, or black and opaque")
    func empty() throws {
        let clear = try render(3, 2) { _ in }
        #expect(clear.color(0, 0) == .clear && clear.pixels.alpha == .premultiplied)
        let opaque = try render(3, 2, format: .init(isOpaque: true)) { context in
            context.fill(Path(rect(0, 0, 1, 1)), with: .color(PixelColor(255, 255, 255, 128)))
            context.clear(rect(2, 1, 1, 1))
        }
        #expect(opaque.pixels.alpha == .opaque && opaque.color(1, 0) == .black && opaque.color(2, 1) == .black)
        #expect(opaque.color(0, 0)?.isClose(to: PixelColor(128, 128, 128)) == true)
    }

    @Test("Points are scaled to pixels, rounded", arguments: [(1.0, 7, 3), (2, 13, 5), (0.5, 3, 1), (3, 20, 8)])
    func scale(_ scale: Double, _ width: Int, _ height: Int) throws {
        let image = try render(6.5, 2.5, format: .init(scale: scale)) { context in
            #expect(context.scale == scale)
            context.fill(Path(rect(-1, -1, 100, 100)), with: .color(blue))
        }
        #expect(image.pixelSize == PixelSize(width, height) && image.attributes.scale == scale)
        #expect(image.color(width - 1, height - 1) == blue)
    }

    @Test("Every colour is drawn and read back exactly")
    func colors() throws {
        let image = try render(256, 2) { context in
            for value in 0...255 {
                let channel = UInt8(value)
                let place = Path(rect(Double(value), 0, 1, 1))
                context.fill(place, with: .color(PixelColor(channel, 255 - channel, channel / 2)))
                context.fill(Path(rect(Double(value), 1, 1, 1)), with: .color(PixelColor(0, 0, 0, channel)))
            }
        }
        for value in 0...255 {
            let channel = UInt8(value)
            #expect(image.color(value, 0) == PixelColor(channel, 255 - channel, channel / 2))
            #expect(image.color(value, 1)?.alpha == channel)
        }
    }

    @Test("Sizes and scales that are no picture are one error")
    func sizes() {
        let sizes: [(ImageSize, Double, ImageError.Code)] = [
            (.zero, 1, .transformFailed), (ImageSize(-5, 5), 1, .transformFailed),
            (ImageSize(.nan, 5), 1, .transformFailed), (ImageSize(5, .infinity), 1, .limitExceeded),
            (ImageSize(5, 5), 0, .transformFailed), (ImageSize(5, 5), -1, .transformFailed),
            (ImageSize(-5, -5), -1, .transformFailed), (ImageSize(5, 5), .nan, .transformFailed),
            (ImageSize(5, 5), .infinity, .transformFailed), (ImageSize(5, 5), 1e308, .limitExceeded),
            (ImageSize(32_768, 1), 1, .limitExceeded), (ImageSize(32_767, 32_767), 1, .limitExceeded),
            (ImageSize(1e300, 1e300), 1, .limitExceeded), (ImageSize(0.4, 5), 1, .transformFailed),
            (ImageSize(1e300, 1e300), 1e-300, .transformFailed),
        ]
        for (size, scale, code) in sizes {
            do throws(ImageError) {
                _ = try ImageRenderer(size: size, format: .init(scale: scale)).image { _ in }
                Issue.record("\(size) at \(scale) was drawn")
            } catch {
                #expect(error.code == code && error.stage == .transform, "\(size) at \(scale): \(error)")
            }
        }
    }

    @Test("The longest sides can be drawn on")
    func longest() throws {
        let image = try render(32_767, 1) { $0.fill(Path($0.bounds), with: .color(red)) }
        #expect(image.color(32_766, 0) == red)
    }

    @Test("What the closure throws is the error")
    func thrown() {
        struct Refusal: Error {}
        let own = ImageError(.limitExceeded, .transform, "no")
        #expect { try render(5, 5) { _ in throw own } } throws: { ($0 as? ImageError)?.code == .limitExceeded }
        #expect {
            try render(5, 5) { _ in throw Refusal() }
        } throws: {
            let error = $0 as? ImageError
            return error?.code == .transformFailed && error?.underlying is Refusal
        }
    }

    @Test("The first error stays, and what comes after it is not drawn")
    func firstError() {
        expectFailure(.limitExceeded) { context in
            context.drawText(String(repeating: "a", count: 10_001), at: ImagePoint(0, 0), style: TextStyle())
            context.scaleBy(x: 0, y: 1)
            context.saved { context.fill(Path(rect(.nan, 0, 1, 1)), with: .color(red)) }
            context.withLayer { context.fill(Path(context.bounds), with: .color(red)) }
        }
    }

    @Test("A context that is kept for longer than its drawing does nothing")
    func keptContext() throws {
        var kept: DrawingContext?
        let image = try render(5, 5) { kept = $0 }
        let context = try #require(kept)
        context.saved {
            context.scaleBy(x: 2, y: 2)
            context.clip(to: Path(context.bounds))
            context.fill(Path(context.bounds), with: .color(red))
            context.stroke(Path(context.bounds), with: .color(red))
            context.draw(image, in: context.bounds)
            context.drawText("a", at: ImagePoint(0, 0), style: TextStyle())
            context.withLayer { context.fill(Path(context.bounds), with: .color(red)) }
            context.clear(context.bounds)
        }
        #expect(image.ink == nil)
    }

    @Test("A picture is drawn on in its points, and keeps what is known of it")
    func drawingOnAPicture() throws {
        let base = try render(10, 10, format: .init(scale: 2, isOpaque: true)) {
            $0.fill(Path($0.bounds), with: .color(.white))
        }
        var attributes = base.attributes
        attributes.format = .jpeg
        let result = try base.with(attributes).drawing { context in
            #expect(context.size == ImageSize(10, 10))
            context.fill(Path(rect(1, 1, 1, 1)), with: .color(red))
        }
        #expect(result.color(2, 2) == red && result.color(3, 3) == red && result.color(4, 4) == .white)
        #expect(result.pixels.alpha == .opaque && result.attributes.format == .jpeg && result.attributes.isTransformed)
        #expect(base.color(2, 2) == .white)
    }

    @Test("A picture of half floats, of linear light or of straight alpha is drawn on as 8-bit sRGB")
    func otherForms() throws {
        var half = try #require(
            PixelBuffer(size: PixelSize(2, 1), layout: .init(format: .rgbaHalf, colorSpace: .linearSRGB)))
        half.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: SIMD4<Float16>(0.2158605, 2, -1, 1), as: SIMD4<Float16>.self)
            bytes.storeBytes(of: SIMD4<Float16>(.nan, .infinity, 0, .nan), toByteOffset: 8, as: SIMD4<Float16>.self)
        }
        let result = try DecodedImage(pixels: half).drawing { _ in }
        #expect(result.pixels.format == .rgba8 && result.pixels.colorSpace == .sRGB)
        #expect(result.color(0, 0)?.isClose(to: PixelColor(128, 255, 0)) == true && result.color(1, 0) == .clear)
        var straight = try #require(PixelBuffer(size: PixelSize(1, 1), layout: .init(alpha: .straight)))
        straight.withUnsafeMutableBytes { $0.storeBytes(of: SIMD4<UInt8>(200, 100, 50, 128), as: SIMD4<UInt8>.self) }
        let drawn = try DecodedImage(pixels: straight).drawing { _ in }
        #expect(drawn.pixels.alpha == .premultiplied)
        #expect(drawn.color(0, 0)?.isClose(to: PixelColor(200, 100, 50, 128)) == true)
    }

    @Test("Many threads draw at once, each the same")
    func threads() async throws {
        func drawing() throws -> [UInt8] {
            try render(60, 40) { context in
                context.fill(Path(ellipseIn: rect(2, 2, 56, 36)), with: .color(red))
                context.drawText("Ägypten 漢字", at: ImagePoint(4, 8), style: TextStyle(size: 12))
            }.bytes
        }
        let expected = try drawing()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 { group.addTask { try drawing() == expected } }
            for try await isEqual in group { #expect(isEqual) }
        }
    }
}
