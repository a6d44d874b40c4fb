import Synchronization
import WebImageCore
import WebImageFoundation

/// The frames of an AVIF sequence. In order each costs one frame; out of order, those from its key frame on.
final class AVIFFrames: FrameSource {
    let frameCount: Int
    let loopCount: Int
    let durations: [Duration]
    private let options: DecodeOptions
    private let reader: Mutex<AVIFReader>
    /// Behind the reader, which holds on to them: properties go in their order.
    private let bytes: StableBytes

    init(_ data: Data, options: DecodeOptions) throws(ImageError) {
        let bytes = StableBytes(data)
        let reader = try unsafe AVIFReader.open(bytes.bytes, data, limits: options.limits)
        let probe = reader.probe
        try options.limits.check(probe.size, of: .avif)
        frameCount = probe.frameCount
        loopCount = probe.loopCount ?? (probe.frameCount > 1 ? 0 : 1)
        durations = reader.playedDurations
        self.options = options
        self.bytes = bytes
        self.reader = Mutex(reader)
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        let options = options
        return try reader.withLock { reader throws(ImageError) in
            try reader.picture(ofFrame: index, options: options, monitor: DecodeMonitor(limits: options.limits))
        }
    }
}
