import Testing
import WebImageCore
import WebImagePixels

@Suite("What a transformer's result keeps")
struct PreservedMetadataTests {
    /// Paints a new picture and tells nothing of it.
    private struct Repaint: ImageTransformer {
        let preservesImageMetadata: Bool
        var key: String { "Repaint(1)" }

        func transform(_ image: DecodedImage) -> DecodedImage {
            DecodedImage(pixels: PixelBuffer(size: PixelSize(2, 2))!, attributes: .init(scale: 3))
        }
    }

    private func source() -> DecodedImage {
        DecodedImage(
            pixels: PixelBuffer(size: PixelSize(4, 4))!,
            attributes: .init(format: .webP, scale: 2, frameCount: 5, loopCount: 7, isThumbnail: true))
    }

    @Test("Format, loop count and flags are copied onto it; scale and frames are its own")
    func preserved() throws {
        let result = try Repaint(preservesImageMetadata: true).apply(to: source())
        #expect(result.attributes.format == .webP && result.attributes.loopCount == 7)
        #expect(result.attributes.isThumbnail && result.attributes.isTransformed)
        #expect(result.attributes.scale == 3 && result.attributes.frameCount == 1)
    }

    @Test("Nothing is copied when the transformer says so")
    func notPreserved() throws {
        let result = try Repaint(preservesImageMetadata: false).apply(to: source())
        #expect(result.attributes == DecodedImage.Attributes(scale: 3))
    }

    @Test("In a pipeline each stage decides")
    func pipeline() throws {
        #expect(!PipelineTransformer([]).preservesImageMetadata)
        let kept = try PipelineTransformer([Repaint(preservesImageMetadata: true), .flipping(.vertical)])
            .apply(to: source())
        #expect(kept.attributes.format == .webP)
        let dropped = try PipelineTransformer([.flipping(.vertical), Repaint(preservesImageMetadata: false)])
            .apply(to: source())
        #expect(dropped.attributes.format == nil)
    }
}
