import Testing
import WebImageCore
import WebImagePixels

/// What each transformer makes of numbers that make no sense, on pictures that hardly are any: a picture or one error.
@Suite("Transformers and hostile numbers")
struct HostileTransformerTests {
    private static let numbers: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, -1, 0.4, 1e-300, .leastNonzeroMagnitude, 1e300, -1e300,
        .greatestFiniteMagnitude, 3e9, -3e9, 90,
    ]

    private static let pictures: [DecodedImage] = {
        let sizes = [PixelSize(1, 1), PixelSize(1, 60), PixelSize(60, 1), PixelSize(7, 5)]
        let layouts: [PixelBuffer.Layout] = [
            .init(), .init(alpha: .opaque), .init(format: .rgbaHalf), .init(alpha: .straight),
        ]
        return sizes.flatMap { size in
            layouts.map { layout in
                // Transparent; an opaque one is black.
                var pixels = PixelBuffer(size: size, layout: layout)!
                if layout.alpha == .opaque { pixels = pixels.filtered(.invert)! }
                return DecodedImage(pixels: pixels)
            }
        }
    }()

    /// Every parameter of every transformer.
    private static func transformers(_ number: Double) -> [any ImageTransformer] {
        let border = ImageBorder(width: number, color: PixelColor(1, 2, 3, 4))
        let filters: [ImageFilter] = [
            .colorControls(brightness: number), .colorControls(contrast: number), .colorControls(saturation: number),
            .sepia(intensity: number), .hue(radians: number), .gamma(power: number), .sharpen(radius: number),
            .sharpen(amount: number), .pixellate(size: number), .vignette(radius: number),
            .vignette(intensity: number), .colorMatrix(.init(red: [number, 0, 0, 1], bias: [number, 0, 0, number])),
        ]
        let rects = [
            ImageRect(x: number, y: 0, width: 2, height: 2), ImageRect(x: 0, y: 0, width: number, height: 2),
            ImageRect(x: number, y: number, width: number, height: number),
        ]
        let sizes = [ImageSize(number, number), ImageSize(3, number), ImageSize(number, 3)]
        let mark = DecodedImage(pixels: PixelBuffer(size: PixelSize(2, 3))!)
        return filters.map { FilterTransformer($0) } + rects.map { CroppingTransformer(rect: $0) }
            + sizes.flatMap { size in
                ResizingTransformer.Mode.allCases.map {
                    ResizingTransformer(size: size, mode: $0, resampling: Resampling(.mitchell, light: .linear))
                } as [any ImageTransformer]
                    + CropInterest.allCases.map { SmartCropTransformer(size: size, interest: $0) }
            }
            + ImageAnchor.allCases.map { CompositingTransformer(overlay: mark, anchor: $0, margin: number) }
            + [
                CompositingTransformer(overlay: mark, opacity: number), RoundCornerTransformer(radius: number),
                RoundCornerTransformer(radius: 2, border: border), BorderTransformer(border),
                CircleTransformer(border: border), RotationTransformer(radians: number),
                RotationTransformer(radians: number, canvas: .clip), BlurTransformer(radius: number),
            ]
    }

    @Test("A picture within the limits, or transformFailed", arguments: HostileTransformerTests.numbers)
    func parameters(_ number: Double) {
        for transformer in Self.transformers(number) {
            #expect(!transformer.key.isEmpty)
            for picture in Self.pictures { check(transformer, picture) }
        }
    }

    @Test("Also at a scale that makes no sense", arguments: HostileTransformerTests.numbers)
    func scales(_ scale: Double) throws {
        let picture = try #require(PixelBuffer(size: PixelSize(7, 5)))
        let image = DecodedImage(pixels: picture, attributes: .init(scale: scale))
        for transformer in Self.transformers(3) { check(transformer, image) }
    }

    private func check(_ transformer: any ImageTransformer, _ picture: DecodedImage) {
        let result: DecodedImage
        do {
            result = try transformer.apply(to: picture)
        } catch {
            #expect(error.code == .transformFailed && error.stage == .transform, "\(transformer.key): \(error)")
            return
        }
        #expect(!result.pixelSize.isEmpty && result.pixelSize.pixelCount ?? .max <= DecodeLimits().maxPixelCount)
        guard result.pixels.format == .rgba8, result.pixels.alpha == .premultiplied else { return }
        let isGood = result.pixels.withUnsafeBytes { bytes in
            stride(from: 0, to: min(bytes.count, 1 << 16), by: 4).allSatisfy { place in
                (0..<3).allSatisfy { bytes[place + $0] <= bytes[place + 3] }
            }
        }
        #expect(isGood, "\(transformer.key) of \(picture.pixelSize)")
    }
}
