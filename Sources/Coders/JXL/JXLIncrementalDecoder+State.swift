import CWebImageJXL
import WebImageCore
import WebImagePixels

extension JXLIncrementalDecoder {
    /// The file so far and what has become of it.
    struct State: ~Copyable {
        private let options: DecodeOptions
        private var byteCount = 0
        private var container = JXLContainer()
        private var codestream: [UInt8] = []
        /// libjxl looks again at what it could not use, so it is asked only when a good part more is there.
        private var nextByteCount = 0
        private var walker: JXLWalker?
        private var samples: JXLSampleReader?
        private var stream: JXLStream?
        private var header: JXLHeader?
        /// What the walker has seen.
        private var probe: ImageProbe?
        private var isComplete = false
        private var canvas: JXLCanvas?
        private var isDone = false
        /// Whether the canvas can show more than it did last time.
        private var hasNews = false
        private var failure: ImageError?

        init(_ options: DecodeOptions) {
            self.options = options
        }

        mutating func append(_ more: UnsafeRawBufferPointer) throws(ImageError) {
            if let failure { throw failure }
            do throws(ImageError) {
                try unsafe take(more)
                guard codestream.count >= nextByteCount else { return }
                nextByteCount = codestream.count + max(64, codestream.count / 16)
                try advance()
            } catch {
                failure = error
                throw error
            }
        }

        private mutating func take(_ more: UnsafeRawBufferPointer) throws(ImageError) {
            byteCount += more.count
            guard byteCount <= options.limits.maxByteCount else {
                throw ImageError(
                    .limitExceeded, .decode,
                    "jxl of more than \(options.limits.maxByteCount) bytes; raise DecodeLimits.maxByteCount")
            }
            try unsafe container.scan(more) { range in
                unsafe codestream.append(contentsOf: UnsafeRawBufferPointer(rebasing: more[range]))
            }
        }

        mutating func partialImage() throws(ImageError) -> DecodedImage? {
            if let failure { throw failure }
            guard hasNews, let canvas, let decoder = unsafe stream?.decoder else { return nil }
            // Half a picture of ink is none.
            guard isDone || header?.blackChannel == nil else { return nil }
            hasNews = false
            guard unsafe isDone || JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS else { return nil }
            return try picture(of: canvas)
        }

        mutating func finish() throws(ImageError) -> DecodedImage {
            if let failure { throw failure }
            do throws(ImageError) {
                return try wholePicture()
            } catch {
                failure = error
                throw error
            }
        }

        private mutating func wholePicture() throws(ImageError) -> DecodedImage {
            guard byteCount > 0 else { throw ImageError(.badImageData, .decode, "the jxl has no bytes") }
            try advance()
            guard isComplete else { throw .truncatedJXL(codestream.count) }
            guard isDone, let canvas else {
                // Either the frame does not exist, which is said here, or it was left out.
                _ = try decoding(frameCount: probe?.frameCount ?? 1)
                throw ImageError(.badImageData, .decode, "the jxl is damaged in frame \(options.frameIndex)")
            }
            return try picture(of: canvas)
        }

        // MARK: Reading

        private mutating func advance() throws(ImageError) {
            let codestream = codestream
            let result: Result<Void, ImageError> = unsafe codestream.withUnsafeBytes { bytes in
                Result { () throws(ImageError) in try unsafe read(bytes) }
            }
            try result.get()
        }

        private mutating func read(_ codestream: UnsafeRawBufferPointer) throws(ImageError) {
            let monitor = DecodeMonitor(limits: options.limits)
            if walker == nil { walker = try JXLWalker(limits: options.limits, conversion: options.colorConversion) }
            try unsafe walker?.read(codestream, monitor)
            probe = walker?.probe
            isComplete = walker?.isComplete ?? false
            guard probe != nil, !isDone else { return }
            if stream == nil { try open() }
            header = header ?? walker?.header
            samples = samples ?? walker?.image.map { JXLSampleReader($0) }
            let count = try unsafe samples?.permittedCount(
                of: codestream, frameEnds: walker?.frameEnds[...] ?? [], monitor)
            try unsafe decode(UnsafeRawBufferPointer(rebasing: codestream.prefix(count ?? 0)), monitor)
        }

        private mutating func open() throws(ImageError) {
            let opened = try JXLStream([
                JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME, JXL_DEC_FULL_IMAGE,
                JXL_DEC_FRAME_PROGRESSION,
            ])
            unsafe _ = JxlDecoderSetUnpremultiplyAlpha(opened.decoder, 1)
            unsafe _ = JxlDecoderSetProgressiveDetail(opened.decoder, kPasses)
            if options.frameIndex > 0 { unsafe JxlDecoderSkipFrames(opened.decoder, options.frameIndex) }
            stream = consume opened
        }

        private mutating func decode(
            _ permitted: UnsafeRawBufferPointer, _ monitor: DecodeMonitor
        ) throws(ImageError) {
            while !isDone, let event = unsafe stream?.next(permitted, isWhole: false) {
                try monitor.check()
                switch event {
                case JXL_DEC_BASIC_INFO, JXL_DEC_FRAME: break
                case JXL_DEC_COLOR_ENCODING: readColor()
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try attachCanvas()
                case JXL_DEC_FRAME_PROGRESSION: hasNews = true
                case JXL_DEC_FULL_IMAGE:
                    isDone = true
                    hasNews = true
                    canvas?.finish()
                case JXL_DEC_NEED_MORE_INPUT, JXL_DEC_SUCCESS: return
                default:
                    throw ImageError(.badImageData, .decode, "the jxl is damaged in frame \(options.frameIndex)")
                }
            }
        }

        private mutating func readColor() {
            guard let decoder = unsafe stream?.decoder else { return }
            unsafe header?.readColor(decoder)
        }

        private mutating func attachCanvas() throws(ImageError) {
            guard let header, let decoder = unsafe stream?.decoder else { return }
            if canvas == nil { canvas = try JXLCanvas(header) }
            try unsafe canvas?.attach(to: decoder, frame: options.frameIndex)
        }

        // MARK: Pictures

        private func decoding(frameCount: Int) throws(ImageError) -> RowDecoding {
            guard var probe, let header else {
                throw ImageError(.badImageData, .decode, "the jxl is damaged in its header")
            }
            probe.frameCount = frameCount
            return try RowDecoding(
                probe, color: header.color, options: options, monitor: DecodeMonitor(limits: options.limits))
        }

        private func picture(of canvas: JXLCanvas) throws(ImageError) -> DecodedImage {
            // More frames may come; the one at hand is there.
            let frameCount = max(probe?.frameCount ?? 1, options.frameIndex + 1)
            return try decoding(frameCount: frameCount).decode { sink throws(ImageError) in
                try canvas.giveRows(to: &sink)
            }
        }
    }
}
