import Foundation
import WebImage
import WebImageDrawing

// The code of the article Transforming.md, so that it compiles. `Scripts/check` compares them.

private func show(_ image: DecodedImage) {}

func transformingThumbnails(url: URL) async throws {
    var context = LoadContext(thumbnailPixelSize: ImageSize(400, 400))
    context.decodeOptions.thumbnailQuality = .fast  // may leave unread what a file holds for later refinement
    let thumbnail = try await ImageManager.shared.image(from: url, context: context)

    context.thumbnailPixelSize = ImageSize(400, 0)  // 0 is free: 400 wide, as high as that makes it
    context.decodeOptions.cropRect = PixelRect(x: 0, y: 0, width: 800, height: 600)  // in pixels of the upright picture
    let corner = try await ImageManager.shared.image(from: url, context: context)
    print(thumbnail, corner)
}

func transformingInAPipeline(url: URL) async throws {
    let card: any ImageTransformer = .pipeline([
        .resizing(to: ImageSize(200, 200), mode: .aspectFill),
        .filter(.colorControls(saturation: 0.8)),
        .roundCorner(20, border: ImageBorder(width: 2, color: .white)),
    ])
    let picture = try await ImageManager.shared.image(from: url, context: LoadContext(transformer: card))
    print(picture)
}

func transformingSmartly(picture: DecodedImage) throws {
    let square: any ImageTransformer = .smartCrop(to: ImageSize(200, 200))
    let banner: any ImageTransformer = .smartCrop(to: ImageSize(600, 200), interest: .entropy)
    show(try square.apply(to: picture))
    print(banner)
}

func transformingByAClosure(url: URL) async throws {
    let halved: any ImageTransformer = .custom(key: "Halved,1") { pixels in
        let half = PixelSize(max(1, pixels.width / 2), max(1, pixels.height / 2))
        return pixels.resized(to: half) ?? pixels
    }
    let small = try await ImageManager.shared.image(from: url, context: LoadContext(transformer: halved))
    print(small)
}

struct Dimming: ImageTransformer {
    let amount: Double

    var key: String { "Dimming(\(amount),1)" }  // name, parameters, version

    func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        let filter = FilterTransformer(.colorControls(brightness: -amount))
        return try filter.transform(image)
    }
}

func transformingByDrawing(url: URL) async throws {
    let stamp: any ImageTransformer = .drawing(key: "Draft,1") { context, image in
        context.opacity = 0.5
        let style = TextStyle(size: 24, weight: .bold, color: .white)
        context.drawText("DRAFT", at: ImagePoint(12, image.size.height - 40), style: style)
    }
    let draft = try await ImageManager.shared.image(from: url, context: LoadContext(transformer: stamp))
    print(draft)
}
