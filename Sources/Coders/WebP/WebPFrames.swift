import Synchronization
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The frames of one file. One canvas serves all callers, who wait for each other while it changes.
final class WebPFrames: FrameSource {
    let frameCount: Int
    let loopCount: Int
    let durations: [Duration]

    private let decoding: RowDecoding
    private let limits: DecodeLimits
    private let picture: Picture

    private enum Picture: Sendable {
        case still(StableBytes, WebPStill)
        case animation(AnimationLock)
    }

    init(_ file: WebPFile, _ data: Data, options: DecodeOptions) throws(ImageError) {
        var options = options
        options.frameIndex = 0
        limits = options.limits
        decoding = try file.decoding(options, DecodeMonitor(limits: limits))
        loopCount = file.playCount
        let bytes = StableBytes(data)
        guard file.features.isAnimated else {
            frameCount = 1
            durations = [FrameDuration.played(milliseconds: 0)]
            picture = .still(bytes, WebPStill(file.features, decoding))
            return
        }
        durations = file.chunks.frames.durations.map(FrameDuration.played)
        frameCount = durations.count
        guard frameCount > 0 else { throw WebPFault.damaged(frame: 0) }
        picture = try .animation(AnimationLock(bytes, file))
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        guard index >= 0, index < frameCount else {
            throw ImageError(
                .badImageData, .decode,
                "this webp has \(frameCount) frame(s) and none at index \(index); frames count from 0")
        }
        let monitor = DecodeMonitor(limits: limits)
        let decoding = decoding.watched(by: monitor)
        switch picture {
        case .still(let bytes, let still): return try unsafe still.picture(bytes.bytes, decoding, monitor)
        case .animation(let lock): return try lock.picture(of: index, decoding, monitor)
        }
    }
}

/// A compositor that one thread at a time may use.
private final class AnimationLock: Sendable {
    private let compositor: Mutex<WebPCompositor>

    init(_ bytes: StableBytes, _ file: WebPFile) throws(ImageError) {
        compositor = try Mutex(WebPCompositor(bytes, file))
    }

    func picture(
        of index: Int, _ decoding: RowDecoding, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try compositor.withLock { compositor throws(ImageError) in
            try compositor.picture(of: index, decoding, monitor)
        }
    }
}
