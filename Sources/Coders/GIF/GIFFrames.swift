import Synchronization
import WebImageCore
import WebImagePixels

/// The frames of one file. One canvas serves all callers, who wait for each other while it changes.
final class GIFFrames: FrameSource {
    let frameCount: Int
    let loopCount: Int
    let durations: [Duration]

    private let file: GIFFile
    private let decoding: RowDecoding
    private let limits: DecodeLimits
    private let compositor: Mutex<GIFCompositor>

    init(_ file: GIFFile, options: DecodeOptions) throws(ImageError) {
        var options = options
        options.frameIndex = 0
        self.file = file
        frameCount = file.structure.frames.count
        loopCount = file.structure.playCount
        durations = file.structure.frames.map { FrameDuration.played(milliseconds: $0.duration) }
        limits = options.limits
        decoding = try file.decoding(options, DecodeMonitor(limits: options.limits))
        compositor = try Mutex(GIFCompositor(decoding.emptyPicture(file.structure.canvas)))
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        guard index >= 0, index < frameCount else {
            throw ImageError(
                .badImageData, .decode,
                "this gif has \(frameCount) frame(s) and none at index \(index); frames count from 0")
        }
        let monitor = DecodeMonitor(limits: limits)
        let pixels = try compositor.withLock { compositor throws(ImageError) in
            try file.picture(of: index, &compositor, limits, monitor)
        }
        return try decoding.watched(by: monitor).decode(finished: pixels)
    }
}
