import Testing
import WebImageCore
import WebImagePixels

@Suite("Keys of transformers")
struct TransformerKeyTests {
    private static let border = ImageBorder(width: 1, color: .black)

    @Test("TR-09 a pipeline's key names every parameter of its stages, in order")
    func TR_09_pipeline() throws {
        // SDWebImage's own text leaves out the filter's parameters and the version, and its numbers are rounded.
        let pipeline = PipelineTransformer([
            .resizing(to: ImageSize(100, 100), mode: .aspectFill), .rotation(.pi / 4, canvas: .clip),
            .roundCorner(50, border: Self.border), .flipping([.horizontal, .vertical]),
            .cropping(to: ImageRect(x: 0, y: 0, width: 50, height: 50)), .tint(.clear), .blur(radius: 5),
            .filter(.invert),
        ])
        #expect(
            pipeline.key
                == "Resizing({100.0,100.0},aspectFill,1)-Rotation(0.7853981633974483,clip,1)"
                + "-RoundCorner(50.0,15,1.0,#ff000000,1)-Flipping(1,1,1)-Cropping({0.0,0.0,50.0,50.0},1)"
                + "-Tint(#00000000,18,1)-Blur(5.0,1)-Filter(invert,1)")
        let result = try pipeline.apply(to: testImage())
        #expect(result.pixelSize == PixelSize(50, 50) && result.attributes.isTransformed)
    }

    @Test(
        "TR-10 a key is added behind the base, whatever that looks like",
        arguments: [
            "image.png", "image", ".image", "image.", "Test/image.png", "http://foo/image.png", "http://foo/image",
            "http://foo/.image", "http://foo/image.png?foo=bar#mark", "ftp://root:password@foo.com/image.png",
        ])
    func TR_10_derivation(_ base: String) {
        // SDWebImage puts it before the extension, where it collides and is spelled anew: so never in a path here.
        let key = CacheKey(base).appending(FlippingTransformer(directions: .horizontal).key)
        #expect(key.text == base + "-Flipping(1,0,1)" && key.base == base)
    }

    @Test("Two transformers that differ in anything have two keys, each of which is a fragment as it is")
    func injective() {
        let transformers = Self.distinct
        #expect(Set(transformers.map(\.key)).count == transformers.count)
        for transformer in transformers {
            #expect(CacheKey("a").appending(transformer.key).text == "a-" + transformer.key)
        }
    }

    @Test("−0 is 0, and what is not a number still has a key")
    func numbers() {
        #expect(BlurTransformer(radius: -0.0).key == BlurTransformer(radius: 0).key)
        #expect(BlurTransformer(radius: .nan).key == "Blur(nan,1)")
        #expect(BlurTransformer(radius: 0.1 + 0.2).key != BlurTransformer(radius: 0.3).key)
    }

    private static var distinct: [any ImageTransformer] {
        let turns = [0.5, 0.50000001].flatMap { angle in
            RotationCanvas.allCases.map { RotationTransformer(radians: angle, canvas: $0) as any ImageTransformer }
        }
        let flips = (0..<4).map { FlippingTransformer(directions: .init(rawValue: $0)) as any ImageTransformer }
        let corners = (0..<16).map { RoundCornerTransformer(radius: 3, corners: .init(rawValue: $0)) }
        let tints = BlendMode.allCases.map { TintTransformer(color: .white, blendMode: $0) }
        let rounds: [any ImageTransformer] = [
            .roundCorner(3.5), .roundCorner(3, border: border),
            .roundCorner(3, border: ImageBorder(width: 2, color: .black)),
            .roundCorner(3, border: ImageBorder(width: 1, color: .white)),
        ]
        let rects = [0, 1].flatMap { x in
            [5, 6].map { CroppingTransformer(rect: ImageRect(x: x, y: 0, width: $0, height: 5)) }
        }
        return turns + flips + corners + tints + rounds + rects + filters.map { FilterTransformer($0) }
            + [.blur(radius: 1), .blur(radius: 2), .tint(.black)]
    }

    private static let filters: [ImageFilter] = [
        .grayscale, .invert, .sepia(intensity: 1), .sepia(intensity: 0.5), .hue(radians: 1), .hue(radians: 2),
        .gamma(power: 1), .gamma(power: 2), .sharpen(radius: 1, amount: 2), .sharpen(radius: 2, amount: 1),
        .pixellate(size: 1), .pixellate(size: 2), .vignette(radius: 1, intensity: 0.5),
        .vignette(radius: 0.5, intensity: 1), .colorControls(brightness: 1), .colorControls(contrast: 2),
        .colorControls(saturation: 2), .colorMatrix(ColorMatrix()),
        .colorMatrix(ColorMatrix(red: [0, 1, 0, 0], green: [1, 0, 0, 0])),
    ]
}
