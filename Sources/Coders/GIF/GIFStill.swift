import WebImageCore

/// One picture as an animation of one frame.
struct GIFStill: FrameSource {
    let frameCount = 1
    let loopCount = 1
    let durations: [Duration] = [.zero]
    private let image: DecodedImage

    init(_ image: DecodedImage) {
        self.image = image
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage { image }
}
