import CWebImageJXL
import WebImageCore
import WebImagePixels

/// The frames of one JPEG XL file, decoded in any order; in ascending order each costs itself only.
struct JXLPictures: ~Copyable {
    private var stream: JXLStream
    private var samples: JXLSampleReader
    private var header: JXLHeader
    private let probe: ImageProbe
    /// Where frames end, of hidden ones too.
    private let frameEnds: [Int]
    /// How many of these the decoder may have seen, and how many bytes.
    private var seenCount = 0
    private var seenByteCount = 0
    /// The frame that the decoder gives next.
    private var nextFrame = 0

    init(_ findings: JXLWalker.Findings) throws(ImageError) {
        stream = try JXLStream([JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME, JXL_DEC_FULL_IMAGE])
        unsafe _ = JxlDecoderSetUnpremultiplyAlpha(stream.decoder, 1)
        samples = JXLSampleReader(findings.image)
        header = findings.header
        probe = findings.probe
        frameEnds = findings.frameEnds
    }

    /// - Parameter codestream: All of it.
    mutating func picture(
        ofFrame index: Int, of codestream: UnsafeRawBufferPointer, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        var options = options
        options.frameIndex = index
        let decoding = try RowDecoding(probe, color: header.color, options: options, monitor: monitor)
        var pixels = try decoding.emptyPicture(header.size)
        let blackCount = header.blackChannel == nil ? 0 : pixels.byteCount / 4
        let black = UnsafeMutableRawBufferPointer.allocate(byteCount: blackCount, alignment: 64)
        defer { unsafe black.deallocate() }
        try unsafe pixels.withUnsafeMutableBytes { target throws(ImageError) in
            let targets = unsafe JXLTargets(pixels: target, black: black, header: header)
            try unsafe decode(index, of: codestream, into: targets, monitor)
        }
        return try decoding.decode(pixels)
    }

    private mutating func decode(
        _ index: Int, of codestream: UnsafeRawBufferPointer, into targets: borrowing JXLTargets,
        _ monitor: DecodeMonitor
    ) throws(ImageError) {
        if index < nextFrame { start() }
        if index > nextFrame { unsafe JxlDecoderSkipFrames(stream.decoder, index - nextFrame) }
        // Whatever goes wrong, the next call starts anew.
        nextFrame = .max
        var isDone = false
        while !isDone {
            try monitor.check()
            switch unsafe stream.next(seen(of: codestream), isWhole: false) {
            case JXL_DEC_BASIC_INFO, JXL_DEC_FRAME: break
            case JXL_DEC_COLOR_ENCODING: unsafe header.readColor(stream.decoder)
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try unsafe targets.attach(to: stream.decoder, frame: index)
            case JXL_DEC_FULL_IMAGE: isDone = true
            case JXL_DEC_NEED_MORE_INPUT: try unsafe showMore(of: codestream, monitor)
            default: throw ImageError(.badImageData, .decode, "the jxl is damaged in frame \(index)")
            }
        }
        nextFrame = index + 1
        targets.finish()
    }

    /// Frame by frame, so that the monitor is asked between those that are hidden.
    private func seen(of codestream: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: codestream.prefix(seenByteCount))
    }

    private mutating func showMore(
        of codestream: UnsafeRawBufferPointer, _ monitor: DecodeMonitor
    ) throws(ImageError) {
        guard seenByteCount < codestream.count, seenCount < frameEnds.count else {
            throw .truncatedJXL(codestream.count)
        }
        let count = try unsafe samples.permittedCount(
            of: codestream, frameEnds: frameEnds.prefix(seenCount + 1), monitor)
        guard count > seenByteCount else { throw .truncatedJXL(codestream.count) }
        seenByteCount = count
        seenCount += 1
    }

    private mutating func start() {
        stream.rewind()
        seenCount = 0
        seenByteCount = 0
        nextFrame = 0
    }
}
