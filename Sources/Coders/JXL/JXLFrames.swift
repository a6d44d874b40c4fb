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
    private let codestream: StableBytes

    init(_ data: Data, options: DecodeOptions) throws(ImageError) {
        let codestream = StableBytes(try JXLContainer.codestream(of: data))
        // The caller's limit of time is for one frame.
        let monitor = DecodeMonitor(limits: DecodeLimits())
        let findings = try unsafe JXLWalker.findings(in: codestream.bytes, options, monitor)
        frameCount = findings.probe.frameCount
        loopCount = findings.probe.loopCount ?? 1
        durations = findings.delays.map { FrameDuration.played(ticks: $0, perSecond: findings.header.ticksPerSecond) }
        self.options = options
        self.codestream = codestream
        pictures = Mutex(try JXLPictures(findings))
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        try pictures.withLock { pictures throws(ImageError) in
            try unsafe pictures.picture(
                ofFrame: index, of: codestream.bytes, options: options, monitor: DecodeMonitor(limits: options.limits))
        }
    }
}
