import Synchronization
import WebImageFoundation
import WebImagePixels

/// The pixels of a picture decoded lazily: the first who asks decodes, others who ask meanwhile wait for that.
final class DeferredPixels: Sendable {
    /// As the header has it.
    let size: PixelSize
    private let fileByteCount: Int
    private let state: Mutex<State>

    private enum State {
        /// It holds the file.
        case waiting(@Sendable () -> Result<PixelBuffer, ImageError>)
        case over(Result<PixelBuffer, ImageError>)
    }

    /// - Parameters:
    ///   - fileByteCount: What the work holds on to until it is done.
    ///   - work: Called once at most.
    init(size: PixelSize, fileByteCount: Int, work: @escaping @Sendable () -> Result<PixelBuffer, ImageError>) {
        self.size = size
        self.fileByteCount = fileByteCount
        state = Mutex(.waiting(work))
    }

    var isDecoded: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    /// What they take once they are there, or the file takes until then: the larger of the two.
    var byteCount: Int {
        let (pixels, overflows) = size.width.multipliedReportingOverflow(by: size.height)
        let (bytes, overflowsBytes) = pixels.multipliedReportingOverflow(by: 4)
        return overflows || overflowsBytes ? .max : max(bytes, fileByteCount)
    }

    func decode() throws(ImageError) -> PixelBuffer {
        // The coder runs under the lock: whoever else wants these pixels has to wait for them anyway.
        let result = state.withLock { state in
            switch state {
            case .over(let result): return result
            case .waiting(let work):
                let result = work()
                // The file goes.
                state = .over(result)
                return result
            }
        }
        return try result.get()
    }

    /// Transparent where they cannot be decoded.
    var pixels: PixelBuffer {
        if let pixels = try? decode() { return pixels }
        guard let empty = PixelBuffer(size: size) ?? PixelBuffer(size: PixelSize(1, 1)) else {
            preconditionFailure("no memory for one pixel")
        }
        return empty
    }
}

extension CodersManager {
    /// The picture of the header, whose pixels are decoded when they are asked for.
    func deferred(
        _ data: Data, by coder: any ImageCoder, _ options: DecodeOptions
    ) throws(ImageError) -> DecodedImage {
        let probe = try coder.probe(data)
        try options.limits.check(probe.size, of: probe.format)
        try options.limits.check(frameCount: probe.frameCount, of: probe.format)
        var eager = options
        eager.usesLazyDecoding = false
        let pixels = DeferredPixels(size: probe.size, fileByteCount: data.count) { [eager] in
            Result { () throws(ImageError) in try coder.decode(data, options: eager).pixels }
        }
        var attributes = DecodedImage.Attributes(
            format: probe.format, scale: options.scaleFactor,
            frameCount: options.firstFrameOnly ? 1 : probe.frameCount, loopCount: probe.loopCount ?? 1)
        attributes.decodeOptions = options
        attributes.isVector = probe.format == .svg
        return DecodedImage(deferring: pixels, attributes: attributes)
    }
}
