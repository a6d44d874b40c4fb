import WebImageCore

/// Looks into the sections of frames before libjxl does, and says how much of a codestream it may see.
///
/// libjxl reads a section when all of it is there. So does this.
struct JXLSampleReader {
    private let image: JXLImageHeader
    /// How many frames have been looked at as a whole, the preview too.
    private var frameCount = 0
    private var frame: OpenFrame?

    fileprivate struct OpenFrame {
        var samples: JXLFrameSamples
        let sections: JXLSections
        /// Where the sections begin, in bytes.
        let start: Int
        /// How many of the sections have been looked at; the first one is looked at before all others.
        var sectionCount = 0
        var hasFirst = false
    }

    init(_ image: JXLImageHeader) {
        self.image = image
    }

    /// Looks on.
    ///
    /// - Parameters:
    ///   - codestream: From its start, as far as it is there; too few bytes are no error.
    ///   - frameEnds: Where those frames end whose headers are permitted, all that were given before among them.
    /// - Returns: Up to where the codestream may be given to libjxl.
    mutating func permittedCount(
        of codestream: UnsafeRawBufferPointer, frameEnds: ArraySlice<Int>, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Int {
        while frameCount < frameEnds.count {
            let start = frameCount == 0 ? image.end : frameEnds[frameCount - 1]
            // libjxl passes over the preview.
            if !isPreview {
                let end = try unsafe permittedCount(of: codestream, at: start, monitor)
                guard end == frameEnds[frameCount] else { return end }
            }
            frameCount += 1
            frame = nil
        }
        return frameEnds.last ?? image.end
    }

    private var isPreview: Bool { frameCount == 0 && image.previewSize != nil }

    private mutating func permittedCount(
        of codestream: UnsafeRawBufferPointer, at start: Int, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Int {
        if frame == nil { frame = try unsafe open(codestream, at: start) }
        guard var frame else { return start }
        defer { self.frame = frame }
        if !frame.hasFirst, let first = frame.sections.inFileOrder.first(where: { $0.index == 0 }) {
            guard try unsafe frame.read(first, of: codestream, frameIndex) else { return frame.start }
            frame.hasFirst = true
        }
        for section in frame.sections.inFileOrder.dropFirst(frame.sectionCount) {
            try monitor.check()
            guard try unsafe frame.read(section, of: codestream, frameIndex) else {
                return frame.start + section.range.lowerBound
            }
            frame.sectionCount += 1
        }
        return frame.start + frame.sections.byteCount
    }

    /// Where this one lies among the frames without the preview.
    private var frameIndex: Int { frameCount - (image.previewSize == nil ? 0 : 1) }

    private func open(_ codestream: UnsafeRawBufferPointer, at start: Int) throws(ImageError) -> OpenFrame? {
        var bits = unsafe JXLBits(codestream, at: start)
        do throws(JXLFault) {
            let header = try JXLFrameHeader(&bits, image, canvas: image.size)
            let sections = try JXLSections(&bits, sectionCount: header.sectionCount)
            return OpenFrame(
                samples: JXLFrameSamples(header, image), sections: sections, start: bits.position / 8)
        } catch {
            guard let error = error.described("in frame \(frameIndex)", at: bits.position / 8) else { return nil }
            throw error
        }
    }
}

extension JXLSampleReader.OpenFrame {
    /// Reads a section, the first one once.
    ///
    /// - Returns: Whether it is there.
    fileprivate mutating func read(
        _ section: JXLSections.Section, of codestream: UnsafeRawBufferPointer, _ frameIndex: Int
    ) throws(ImageError) -> Bool {
        guard section.index > 0 || !hasFirst else { return true }
        let end = start + section.range.upperBound
        guard end <= codestream.count else { return false }
        let head = unsafe UnsafeRawBufferPointer(rebasing: codestream[..<end])
        var bits = unsafe JXLBits(head, at: start + section.range.lowerBound)
        do throws(JXLFault) {
            try samples.readSection(section.index, &bits)
        } catch {
            let fault = if case .cut = error { JXLFault.damaged("a section ends too early") } else { error }
            if let error = fault.described("in frame \(frameIndex)", at: bits.position / 8) { throw error }
        }
        return true
    }
}
