import Foundation
import WebImage

// The code of the article Animations.md, so that it compiles. `Scripts/check` compares them.

func animationFrames(url: URL) async throws {
    let file = try await ImageManager.shared.data(for: ImageRequest(url)).data
    let options = DecodeOptions(thumbnailPixelSize: ImageSize(320, 320))
    let frames = try CodersManager.shared.frames(of: file, options: options)
    print(frames.frameCount, "frames, played", frames.loopCount, "times")  // 0 is for ever

    for index in 0..<frames.frameCount {
        let frame = try frames.frame(at: index)  // as it shows: composed over those before it, and upright
        print(frames.durations[index], frame.pixelSize)
    }
}

func animationFrame(url: URL) async throws {
    var context = LoadContext()
    context.decodeOptions.frameIndex = 3
    let fourth = try await ImageManager.shared.image(from: url, context: context)
    print(fourth)
}

struct Slides: FrameSource {
    let pictures: [DecodedImage]  // all of one size

    var frameCount: Int { pictures.count }
    var loopCount: Int { 0 }
    var durations: [Duration] { pictures.map { _ in .seconds(2) } }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        guard pictures.indices.contains(index) else {
            throw ImageError(.badImageData, .decode, "there is no frame \(index)")
        }
        return pictures[index]
    }
}

func animationWriting(pictures: [DecodedImage]) throws {
    let slides = Slides(pictures: pictures)
    var options = EncodeOptions(quality: 0.8)
    options.loopCount = 3
    let gif = try CodersManager.shared.encode(slides, to: .gif, options: options)
    let apng = try CodersManager.shared.encode(slides, to: .png, options: options)
    let webP = try CodersManager.shared.encode(slides, to: .webP, options: options)
    print(gif, apng, webP)
}

func animationRewriting(file: Data) throws {
    let frames = try CodersManager.shared.frames(of: file)
    let rounded = TransformedFrames(frames, by: .pipeline([.resizing(to: ImageSize(200, 200)), .roundCorner(20)]))
    var limits = DecodeLimits()
    limits.maxSeconds = 10
    let watched = rounded.watched(by: DecodeMonitor(limits: limits))
    let webP = try CodersManager.shared.encode(watched, to: .webP, options: EncodeOptions())
    print(webP)
}

final class Movie: AnimatedImageRepresentation {
    private let frames: any FrameSource

    init(frames: any FrameSource, data: Data?) { self.frames = frames }

    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }
    var durations: [Duration] { frames.durations }
    var memoryCost: Int { 0 }  // this one keeps no frame

    func frame(at index: Int) throws(ImageError) -> DecodedImage { try frames.frame(at: index) }
    func preloadAllFrames() throws(ImageError) {}
}

func animationPlaying(url: URL) async throws {
    var request = ImageRequest(url, options: .matchAnimatedImageClass)  // only with that form; else `badImageData`
    request.context.animatedImageClass = Movie.self
    let result = try await ImageManager.shared.image(for: request)
    if let movie = result.image.animation as? Movie { print(movie.frameCount) }
}
