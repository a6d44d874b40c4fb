import Testing
import WebImageCore
import WebImagePixels

@Suite("Resizing")
struct ResizingTransformerTests {
    private func image(_ size: PixelSize, scale: Double = 1) -> DecodedImage {
        drawn(size, scale: scale, format: .jpeg) { _, _ in PixelColor(255, 0, 0) }
    }

    @Test("TR-01 fill and aspect fit give exactly the size asked for")
    func TR_01_sizes() throws {
        let large = try ResizingTransformer(size: ImageSize(2000, 1000), mode: .aspectFit).transform(testImage())
        #expect(large.pixelSize == PixelSize(2000, 1000))
        #expect(large.pixels.color(x: 1000, y: 50) == .black && large.pixels.color(x: 0, y: 500) == .clear)
        let source = image(PixelSize(300, 300))
        let filled = try ResizingTransformer(size: ImageSize(200, 100)).transform(source)
        #expect(filled.pixelSize == PixelSize(200, 100) && filled.attributes.isTransformed)
        let fitted = try ResizingTransformer(size: ImageSize(200, 100), mode: .aspectFit).transform(source)
        #expect(fitted.pixelSize == PixelSize(200, 100))
        #expect(fitted.pixels.color(x: 100, y: 50) == PixelColor(255, 0, 0))
        #expect(fitted.pixels.color(x: 10, y: 50) == .clear && fitted.pixels.color(x: 190, y: 50) == .clear)
    }

    @Test("B37 aspect fill of 20×60 in 64×64 is exactly 64×64")
    func B37_aspectFill() throws {
        let result = try ResizingTransformer(size: ImageSize(64, 64), mode: .aspectFill)
            .transform(image(PixelSize(20, 60)))
        #expect(result.pixelSize == PixelSize(64, 64))
        #expect(result.pixels.color(x: 0, y: 0) == PixelColor(255, 0, 0))
        #expect(result.pixels.color(x: 63, y: 63) == PixelColor(255, 0, 0))
    }

    @Test("The size is in points")
    func points() throws {
        let result = try ResizingTransformer(size: ImageSize(20, 10)).transform(image(PixelSize(40, 40), scale: 2))
        #expect(result.pixelSize == PixelSize(40, 20) && result.size == ImageSize(20, 10))
    }

    @Test(
        "A size that no picture can have is one error",
        arguments: [(0.0, 10.0), (-3, 10), (.nan, 10), (.infinity, 10), (1e9, 1e9), (0.2, 0.2)])
    func refused(_ width: Double, _ height: Double) throws {
        let source = image(PixelSize(4, 4))
        #expect { try ResizingTransformer(size: ImageSize(width, height)).transform(source) } throws: {
            ($0 as? ImageError)?.code == .transformFailed
        }
    }

    @Test("Each parameter is in the key")
    func keys() {
        let sizes = [ImageSize(100, 50), ImageSize(10, 50), ImageSize(100.5, 50)]
        let weighings = ResamplingFilter.allCases.flatMap { filter in
            Resampling.Light.allCases.map { Resampling(filter, light: $0) }
        }
        let transformers = sizes.flatMap { size in
            ResizingTransformer.Mode.allCases.flatMap { mode in
                weighings.map { ResizingTransformer(size: size, mode: mode, resampling: $0) }
            }
        }
        #expect(Set(transformers.map(\.key)).count == transformers.count)
        func key(_ resampling: Resampling) -> String {
            ResizingTransformer(size: sizes[0], resampling: resampling).key
        }
        #expect(ResizingTransformer(size: sizes[0]).key == "Resizing({100.0,50.0},fill,1)")
        #expect(key(.lanczos3) == "Resizing({100.0,50.0},fill,1)" && key(.box) == "Resizing({100.0,50.0},fill,box,1)")
        #expect(key(Resampling(.lanczos3, light: .linear)) == "Resizing({100.0,50.0},fill,lanczos3,linear,1)")
    }

    @Test(
        "In linear light half white and half black is as bright as it looks",
        arguments: ResizingTransformer.Mode.allCases)
    func linearLight(_ mode: ResizingTransformer.Mode) throws {
        let stripes = drawn(PixelSize(32, 32)) { x, _ in x % 2 == 0 ? .white : .black }
        func gray(_ resampling: Resampling) throws -> PixelColor? {
            try ResizingTransformer(size: ImageSize(8, 8), mode: mode, resampling: resampling).transform(stripes)
                .pixels.color(x: 4, y: 4)
        }
        #expect(try gray(.box) == PixelColor(128, 128, 128))
        // The transfer function of sRGB for a half.
        #expect(try gray(Resampling(.box, light: .linear)) == PixelColor(188, 188, 188))
        #expect([PixelColor.white, .black].contains(try gray(.nearest)))
    }

    @Test("A pipeline works left to right, and its stages are its keys")
    func pipeline() throws {
        let first = ResizingTransformer(size: ImageSize(8, 8))
        let second = ResizingTransformer(size: ImageSize(4, 2))
        let pipeline = PipelineTransformer([first, PipelineTransformer([second])])
        #expect(try pipeline.transform(image(PixelSize(16, 16))).pixelSize == PixelSize(4, 2))
        #expect(pipeline.stages.map(\.key) == [first.key, second.key])
        let source = image(PixelSize(3, 3))
        #expect(try PipelineTransformer([]).transform(source) === source)
    }
}
