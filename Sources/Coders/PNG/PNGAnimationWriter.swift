import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Frames to be written, all of one size, each asked for once.
struct PNGFrames {
    let source: any FrameSource
    let first: DecodedImage
    /// The size to write them in.
    let size: PixelSize

    /// Straight or opaque.
    func pixels(at index: Int) throws(ImageError) -> PixelBuffer {
        let frame = index == 0 ? first : try source.frame(at: index)
        guard frame.pixelSize == first.pixelSize else {
            throw ImageError(
                .encodingFailed, .store,
                "frame \(index) of the animated png is \(frame.pixelSize) where the first is \(first.pixelSize)")
        }
        let resized = try frame.resized(to: size)
        // Looks at format and size.
        _ = try RowEncoding(resized, to: .png, maxDimension: Int(Int32.max))
        return resized.pixels.withAlpha(resized.pixels.alpha == .opaque ? .opaque : .straight)
    }
}

/// An animated PNG being put together out of frames that each were written as a PNG.
struct PNGAnimationWriter {
    private let frames: PNGFrames
    private let options: EncodeOptions
    private let hasAlpha: Bool
    private let durations: [Duration]
    private var file = Data(PNGHeader.signature)
    private var sequenceNumber: UInt32 = 0
    private var canvas: PixelBuffer

    static func data(of frames: PNGFrames, options: EncodeOptions) throws(ImageError) -> Data {
        let first = try frames.pixels(at: 0)
        // Sources say of every frame whether any is transparent. One that does not is written again.
        if first.alpha == .opaque {
            var writer = try PNGAnimationWriter(frames, options, first, hasAlpha: false)
            if let data = try writer.write() { return data }
        }
        var writer = try PNGAnimationWriter(frames, options, first, hasAlpha: true)
        guard let data = try writer.write() else {
            throw ImageError(.encodingFailed, .store, "the animated png could not be written")
        }
        return data
    }

    private init(
        _ frames: PNGFrames, _ options: EncodeOptions, _ first: PixelBuffer, hasAlpha: Bool
    ) throws(ImageError) {
        self.frames = frames
        self.options = options
        self.hasAlpha = hasAlpha
        durations = try frames.source.durationOfEach()
        canvas = first
    }

    /// `nil` when a frame turns out to be transparent and there is no alpha.
    private mutating func write() throws(ImageError) -> Data? {
        let whole = PixelRect(canvas.size)
        let first = try encoded(whole, chunks: options.metadata.pngChunks)
        for chunk in PNGChunks(first) {
            switch chunk.name {
            case .header:
                file.append(first.part(chunk.range(in: first.count)))
                file.append(.animation, animationControl)
            case .pixels:
                if sequenceNumber == 0 { appendControl(whole, at: 0) }
                file.append(first.part(chunk.range(in: first.count)))
            case .end: break
            default: file.append(first.part(chunk.range(in: first.count)))
            }
        }
        for index in 1..<frames.source.frameCount {
            guard try append(index) else { return nil }
        }
        file.append(.end, Data())
        return file
    }

    private var animationControl: Data {
        var body = Data()
        body.append(bigEndian: UInt32(clamping: frames.source.frameCount))
        body.append(bigEndian: UInt32(clamping: options.loopCount ?? frames.source.loopCount))
        return body
    }

    private mutating func append(_ index: Int) throws(ImageError) -> Bool {
        let next = try frames.pixels(at: index)
        guard hasAlpha || next.alpha == .opaque else { return false }
        let changed = next.changes(from: canvas)
        canvas = next
        appendControl(changed, at: index)
        let png = try encoded(changed, chunks: [])
        for chunk in PNGChunks(png) where chunk.name == .pixels {
            var body = Data()
            body.append(bigEndian: takeSequenceNumber())
            body.append(png.part(chunk.body))
            file.append(.framePixels, body)
        }
        return true
    }

    private func encoded(
        _ part: PixelRect, chunks: [(name: PNGChunkName, body: Data)]
    ) throws(ImageError) -> Data {
        try unsafe PNGWriter.data(of: part.size, PNGColor(hasAlpha: hasAlpha), chunks: chunks) { y, row in
            unsafe canvas.withUnsafeRow(part.y + y) { source in
                let start = part.x * 4
                unsafe row.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + row.count]))
            }
        }
    }

    private mutating func takeSequenceNumber() -> UInt32 {
        defer { sequenceNumber += 1 }
        return sequenceNumber
    }

    /// The frame replaces its part of the canvas and stays there.
    private mutating func appendControl(_ part: PixelRect, at index: Int) {
        var body = Data()
        body.append(bigEndian: takeSequenceNumber())
        for number in [part.size.width, part.size.height, part.x, part.y] {
            body.append(bigEndian: UInt32(number))
        }
        let delay = PNGDelay(durations[index])
        body.append(contentsOf: [delay.numerator, delay.denominator].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        body.append(contentsOf: [0, 0])
        file.append(.frame, body)
    }
}

extension PixelBuffer {
    /// The smallest part in which the picture differs from another of its size; one pixel where it does not.
    func changes(from other: PixelBuffer) -> PixelRect {
        var columns = 0..<width
        var rows: Range<Int>?
        for y in 0..<height {
            guard let changed = changedColumns(y, from: other) else { continue }
            columns =
                rows == nil
                ? changed
                : Swift.min(columns.lowerBound, changed.lowerBound)..<Swift.max(columns.upperBound, changed.upperBound)
            rows = (rows?.lowerBound ?? y)..<y + 1
        }
        guard let rows else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
        return PixelRect(
            x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private func changedColumns(_ y: Int, from other: PixelBuffer) -> Range<Int>? {
        unsafe withUnsafeRow(y) { row in
            unsafe other.withUnsafeRow(y) { otherRow in
                let mine = unsafe row.bindMemory(to: UInt32.self)
                let others = unsafe otherRow.bindMemory(to: UInt32.self)
                guard let first = mine.indices.first(where: { unsafe mine[$0] != others[$0] }),
                    let last = mine.indices.last(where: { unsafe mine[$0] != others[$0] })
                else { return nil }
                return first..<last + 1
            }
        }
    }
}
