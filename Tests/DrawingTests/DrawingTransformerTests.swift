import Testing
import WebImageCore
import WebImageDrawing
import WebImageFoundation
import WebImagePixels
import WebImageTesting

@Suite("Transformers that draw")
struct DrawingTransformerTests {
    private func white(_ width: Double, _ height: Double, scale: Double = 1) throws -> DecodedImage {
        let image = try render(width, height, format: .init(scale: scale, isOpaque: true)) {
            $0.fill(Path($0.bounds), with: .color(.white))
        }
        var attributes = image.attributes
        attributes.format = .png
        return image.with(attributes)
    }

    /// What is no longer white.
    private func changed(_ image: DecodedImage) -> PixelRect? {
        try? render(Double(image.pixelSize.width), Double(image.pixelSize.height)) { context in
            for y in 0..<image.pixelSize.height {
                for x in 0..<image.pixelSize.width where image.color(x, y) != .white {
                    context.fill(Path(rect(Double(x), Double(y), 1, 1)), with: .color(.black))
                }
            }
        }.ink
    }

    @Test("A closure draws on the picture, in its points, and alone or among others")
    func drawing() throws {
        let transformer: any ImageTransformer = .drawing(key: "dot(1)") { context, image in
            #expect(image.size == ImageSize(20, 10))
            context.fill(Path(rect(1, 1, 2, 2)), with: .color(red))
        }
        #expect(transformer.key == "Drawing(dot%281%29)")
        let result = try transformer.apply(to: white(20, 10, scale: 2))
        #expect(result.color(2, 2) == red && result.color(5, 5) == red && result.color(6, 6) == .white)
        #expect(result.attributes.format == .png && result.attributes.isTransformed && result.pixels.alpha == .opaque)
        let pipeline = PipelineTransformer([.flipping(.horizontal), transformer])
        #expect(try pipeline.apply(to: white(20, 10)).color(1, 1) == red)
        struct Refusal: Error {}
        let failing: any ImageTransformer = .drawing(key: "failing") { _, _ in throw Refusal() }
        #expect {
            try failing.apply(to: white(2, 2))
        } throws: {
            ($0 as? ImageError)?.code == .transformFailed && ($0 as? ImageError)?.underlying is Refusal
        }
    }

    @Test("A load draws on its picture and keeps the result under a key with the drawing's name")
    func load() async throws {
        let (cache, loader, coder) = (FakeCache(), FakeLoader(), FakeCoder())
        let (url, bytes) = (try #require(URL(string: "https://h/a.png")), Data("a picture".utf8))
        cache.scriptAllMissing()
        loader.script(url, .data(bytes))
        coder.script(bytes, .success(try white(20, 10)))
        let manager = ImageManager(cache: cache, loader: loader, coder: coder)
        let drawing: any ImageTransformer = .drawing(key: "dot") { context, _ in
            context.fill(Path(rect(1, 1, 2, 2)), with: .color(red))
        }
        let mark: any ImageTransformer = .watermark(text: "■", style: TextStyle(size: 8), margin: 0)
        var context = LoadContext()
        context.transformer = PipelineTransformer([drawing, mark])
        let result = try await manager.image(from: url, options: .waitStoreCache, context: context)
        #expect(result.image.color(1, 1) == red && result.image.color(10, 1) == .white)
        let ink = try #require(changed(result.image))
        #expect(ink.x == 1 && ink.x + ink.width > 15 && result.image.attributes.isTransformed)
        let keys = cache.memory.keys.map(\.text)
        #expect(keys.contains("https://h/a.png-Drawing(dot)-\(mark.key)"), "\(keys)")
    }

    @Test("A text stands at its anchor within the margins", arguments: ImageAnchor.allCases)
    func anchors(_ anchor: ImageAnchor) throws {
        let style = TextStyle(family: "DejaVu Sans", size: 10)
        let transformer: any ImageTransformer = .watermark(text: "Mark", style: style, anchor: anchor, margin: 6)
        let ink = try #require(changed(try transformer.apply(to: white(100, 60, scale: 2))))
        let (middleX, middleY) = (ink.x + ink.width / 2, ink.y + ink.height / 2)
        #expect(ink.x >= 11 && ink.x + ink.width <= 189 && ink.y >= 11 && ink.y + ink.height <= 109)
        switch anchor {
        case .topLeft, .left, .bottomLeft: #expect(ink.x <= 16)
        case .top, .center, .bottom: #expect(abs(middleX - 100) <= 3)
        case .topRight, .right, .bottomRight: #expect(ink.x + ink.width >= 184)
        }
        switch anchor {
        case .topLeft, .top, .topRight: #expect(ink.y <= 20)
        case .left, .center, .right: #expect(abs(middleY - 60) <= 4)
        case .bottomLeft, .bottom, .bottomRight: #expect(ink.y + ink.height >= 98)
        }
    }

    @Test("A long text is broken and cut within the margins; without room nothing is drawn")
    func longMark() throws {
        let text = String(repeating: "all rights reserved ", count: 40)
        let transformer: any ImageTransformer = .watermark(text: text, style: TextStyle(size: 10), margin: 10)
        let ink = try #require(changed(try transformer.apply(to: white(100, 60))))
        #expect(ink.x >= 9 && ink.x + ink.width <= 91 && ink.y >= 9 && ink.y + ink.height <= 51)
        #expect(changed(try transformer.apply(to: white(20, 20))) == nil)
    }

    @Test("Opacity weakens the text; numbers that are none are one error")
    func opacity() throws {
        var style = TextStyle(size: 40, weight: .black)
        let half: any ImageTransformer = .watermark(text: "■■■", style: style, anchor: .center, opacity: 0.5)
        let result = try half.apply(to: white(200, 100))
        let darkest = result.pixels.withUnsafeBytes { $0.min() }
        #expect(darkest == 127 || darkest == 128)
        style.size = .nan
        let bad: [any ImageTransformer] = [
            .watermark(text: "a", margin: .nan), .watermark(text: "a", margin: -.infinity),
            .watermark(text: "a", opacity: .infinity), .watermark(text: "a", style: style),
            .watermark(text: "a", margin: -1e300),
        ]
        for transformer in bad {
            #expect {
                try transformer.apply(to: white(50, 50))
            } throws: {
                ($0 as? ImageError)?.code == .transformFailed && ($0 as? ImageError)?.stage == .transform
            }
        }
    }

    @Test("The key names every parameter, tells text and family apart, and is one fragment of a cache key")
    func keys() {
        let base = TextWatermarkTransformer("© A (b), 100 %")
        #expect(
            base.key == "TextWatermark(© A %28b%29%2C 100 %25,Sans,16.0,400,upright,#ff000000,leading,tail,1.0,"
                + "bottomRight,8.0,1.0,1)")
        #expect(CacheKey("a").appending(base.key).text == "a-" + base.key)
        func styled(_ change: (inout TextStyle) -> Void) -> any ImageTransformer {
            var style = TextStyle()
            change(&style)
            return .watermark(text: "a", style: style)
        }
        let others: [any ImageTransformer] = [
            base, .watermark(text: "a"), .watermark(text: "b"), .watermark(text: "a,Sans"),
            .watermark(text: "a", anchor: .top), .watermark(text: "a", margin: 1), .watermark(text: "a", opacity: 0.5),
            styled { $0.family = "Serif" }, styled { $0.size = 17 }, styled { $0.weight = .bold },
            styled { $0.slant = .italic }, styled { $0.color = red }, styled { $0.alignment = .center },
            styled { $0.truncation = .head }, styled { $0.lineHeightMultiple = 2 },
        ]
        #expect(Set(others.map(\.key)).count == others.count)
    }
}
