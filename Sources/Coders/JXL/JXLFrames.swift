import Synchronization
import WebImageCore
import WebImageFoundation

/// The frames of a JPEG XL animation. In order each costs one frame; out of order, those that it is built on.
final class JXLFrames: FrameSource {
    let frameCount: Int
    let loopCount: Int
    let durations: [Duration]
    private let options: DecodeOptions
    private let pictures: Mutex<JXLPictures>
    /// Behind the decoder, which holds on to them: properties go in their order.
    private let bytes: StableBytes

    init(_ data: Data, options: DecodeOptions) throws(ImageError) {
        let bytes = StableBytes(data)
        let walked = try unsafe JXLWalker.walked(bytes.bytes, options)
        frameCount = walked.probe.frameCount
        loopCount = walked.probe.loopCount ?? 1
        durations = walked.delays.map { FrameDuration.played(ticks: $0, perSecond: walked.header.ticksPerSecond) }
        self.options = options
        self.bytes = bytes
        pictures = Mutex(try JXLPictures(walked.header, walked.probe))
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        try pictures.withLock { pictures throws(ImageError) in
            try unsafe pictures.picture(
                ofFrame: index, of: bytes.bytes, options: options, monitor: DecodeMonitor(limits: options.limits))
        }
    }
}
