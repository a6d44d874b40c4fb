import WebImageCore
import WebImagePixels

/// Reads the headers of a codestream, of hidden frames too, and passes over all samples.
///
/// libjxl 0.7 tells of a frame only when it is to be shown, and allocates for each what its header says. What is
/// refused here must not get there.
struct JXLFrameHeaders {
    private let limits: DecodeLimits
    private(set) var image: JXLImageHeader?
    /// Where each frame that is permitted ends, in bytes, the preview too; in a cut file that may be behind its end.
    private(set) var frameEnds: [Int] = []
    /// How long each frame shows, in ticks. Those that are made of several count once.
    private(set) var delays: [Double] = []
    /// Whether the last frame has been seen, though not all of its samples.
    private(set) var isComplete = false
    private var memory: JXLMemory?
    private var hasPreview = false
    /// How many frames there were, without the preview, and how many pixels those have that are not shown yet.
    private var frameCount = 0
    private var hiddenPixelCount = 0

    init(limits: DecodeLimits) {
        self.limits = limits
    }

    /// Up to where the codestream may be given to libjxl.
    var permittedCount: Int { frameEnds.last ?? image?.end ?? 0 }

    /// Reads what stands before the first frame, once.
    ///
    /// - Parameter codestream: From its start, as far as it is there; too few bytes are no error.
    mutating func readImage(_ codestream: UnsafeRawBufferPointer) throws(ImageError) {
        guard image == nil else { return }
        var bits = unsafe JXLBits(codestream, at: 0)
        do throws(JXLFault) {
            let image = try JXLImageHeader(&bits)
            self.image = image
            memory = JXLMemory(limits, image)
            hasPreview = image.previewSize != nil
        } catch {
            if let error = error.described("in its header", at: bits.position / 8) { throw error }
        }
    }

    /// Reads the headers of all frames that are there.
    mutating func readFrames(
        _ codestream: UnsafeRawBufferPointer, _ monitor: DecodeMonitor
    ) throws(ImageError) {
        guard let image else { return }
        while !isComplete, permittedCount < codestream.count {
            try monitor.check()
            var bits = unsafe JXLBits(codestream, at: permittedCount)
            do throws(JXLFault) {
                let size = hasPreview ? image.previewSize : nil
                let frame = try JXLFrameHeader(&bits, image, canvas: size ?? image.size)
                if size == nil { try check(frame) }
                let sections = try JXLSections(&bits, sectionCount: frame.sectionCount)
                take(frame, end: bits.position / 8 + sections.byteCount)
            } catch {
                guard let error = error.described("in frame \(frameCount)", at: bits.position / 8) else { return }
                throw error
            }
        }
    }

    // MARK: Limits

    private mutating func take(_ frame: JXLFrameHeader, end: Int) {
        frameEnds.append(end)
        if hasPreview {
            hasPreview = false
            return
        }
        _ = memory?.take(frame)
        frameCount += 1
        hiddenPixelCount += frame.size.pixelCount ?? 0
        isComplete = frame.isLast
        guard frame.isShown else { return }
        hiddenPixelCount = 0
        delays.append(Double(frame.duration))
    }

    private func check(_ frame: JXLFrameHeader) throws(JXLFault) {
        do throws(ImageError) {
            try limits.check(frame.size, of: .jpegXL)
            if frame.isShown { try limits.check(frameCount: delays.count + 1, of: .jpegXL) }
        } catch {
            throw .excessive(error.message)
        }
        // Some hidden frames belong to each that is shown, and to a still picture too.
        guard frameCount / 4 - 16 < limits.maxFrameCount else {
            throw .excessive("so many frames, with hidden ones; raise DecodeLimits.maxFrameCount")
        }
        // The decoder makes all that one shown frame is made of in one go.
        guard (hiddenPixelCount + (frame.size.pixelCount ?? 0)) / 16 <= limits.maxPixelCount else {
            throw .excessive("so many pixels for one that is shown; raise DecodeLimits.maxPixelCount")
        }
        var memory = memory
        guard memory?.take(frame) != nil else {
            throw .excessive("what frames keep and need, at \(frame.size); raise DecodeLimits.maxPixelCount")
        }
    }
}

extension JXLFault {
    /// What to say of it; `nil` where more bytes may help.
    func described(_ place: String, at offset: Int) -> ImageError? {
        let place = "\(place), at byte \(offset) of its codestream"
        switch self {
        case .cut: return nil
        case .damaged(let what): return ImageError(.badImageData, .decode, "the jxl is damaged \(place): \(what)")
        case .excessive(let what):
            return ImageError(.limitExceeded, .decode, "the jxl is over a limit \(place): \(what)")
        }
    }
}
