import CWebImageWebP
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A still picture that is still coming, or an animation.
///
/// A small file is decoded when all of it is there.
final class WebPArrival: ImageArrival {
    private let options: DecodeOptions
    private var data = Data()
    private var drawing: WebPDrawing?
    private var isAnimated = false
    private var isFirstFrameShown = false
    private var isWatched = false
    /// How many bytes there must be before libwebp is asked again.
    private var nextCount = 0

    /// Of files up to so many bytes nothing is decoded before the end.
    private static let smallByteCount = 1 << 14
    /// The same where somebody asks for partial pictures: what comes after the header comes at once.
    private static let smallWatchedByteCount = 1 << 10

    init(_ options: DecodeOptions) {
        self.options = options
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        unsafe data.append(contentsOf: bytes)
        guard !isAnimated, data.count >= nextCount else { return }
        try draw()
    }

    private func draw() throws(ImageError) {
        try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            if drawing == nil { try unsafe begin(bytes) }
            guard let drawing else { return }
            try unsafe drawing.update(bytes)
            // An eighth of the file at a time: where a picture begins libwebp reads anew each time it is asked.
            nextCount = data.count + max(1, min(totalByteCount - data.count, totalByteCount / 8))
        }
    }

    /// As the header says it.
    private var totalByteCount: Int { (ByteReader(data, .littleEndian).uint32(4) ?? 0) + 8 }

    func preview() throws(ImageError) -> DecodedImage? {
        if !isWatched {
            isWatched = true
            if !isAnimated, drawing == nil, !data.isEmpty { try draw() }
        }
        return isAnimated ? try firstFrame() : drawing?.partialImage()
    }

    func finish() throws(ImageError) -> DecodedImage {
        let monitor = DecodeMonitor(limits: options.limits)
        guard let drawing else { return try WebPCoder().decode(data, options: options, monitor: monitor) }
        return try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            let file = try unsafe WebPFile(data, bytes, options: options)
            try unsafe drawing.update(bytes)
            let decoding = try file.decoding(options, monitor)
            if let picture = try drawing.picture(file, decoding) { return picture }
            return try WebPCoder().decode(data, options: options, monitor: monitor)
        }
    }

    /// The first frame of an animation, once, as soon as it is whole.
    private func firstFrame() throws(ImageError) -> DecodedImage? {
        // It is decoded again in the end, so that it must not be most of the work.
        guard !isFirstFrameShown, options.frameIndex == 0, data.count <= totalByteCount / 2 else { return nil }
        let chunks = WebPChunks(data, maxFrameCount: 0)
        guard !chunks.frames.isEmpty else { return nil }
        isFirstFrameShown = true
        return try unsafe data.withImageBytes(of: .webP) { bytes throws(ImageError) in
            let features = try unsafe WebPFeatures(bytes)
            let metadata = chunks.metadata(options.limits)
            var probe = features.probe(chunks, metadata)
            probe.hasAlpha = true
            let monitor = DecodeMonitor(limits: options.limits)
            let decoding = try RowDecoding(probe, color: metadata.sourceColor, options: options, monitor: monitor)
            var compositor = try WebPCompositor(StableBytes(data), chunks.frames, features.size, hasAlpha: true)
            return try compositor.picture(of: 0, decoding, monitor)
        }
    }

    private func begin(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var status = VP8_STATUS_OK
        guard let features = unsafe WebPFeatures(bytes, &status) else {
            guard status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED else {
                throw WebPFault.reading(status, "in its header")
            }
            return
        }
        try options.limits.check(features.size, of: .webP)
        isAnimated = features.isAnimated
        // The size is known before it is known how the pixels are stored.
        guard !isAnimated, features.compression != .unknown else { return }
        guard totalByteCount > (isWatched ? Self.smallWatchedByteCount : Self.smallByteCount) else { return }
        drawing = try WebPDrawing(features, WebPChunks(data), options)
    }
}
