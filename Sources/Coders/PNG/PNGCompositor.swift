import Synchronization
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The frames of an animated PNG as they show, each laid over what the ones before it left.
///
/// Remembers the canvas of the last frame that was asked for, so that playing forward composes each frame once. Any
/// other order starts again from the nearest frame that does not build on others.
final class PNGCompositor: FrameSource {
    private let file: PNGFile
    private let animation: PNGAnimation
    private let decoding: RowDecoding
    private let limits: DecodeLimits
    private let state = Mutex<State?>(nil)

    /// The canvas with the frame of an index on it, before that frame is disposed of.
    private struct State {
        var index: Int
        var canvas: PixelBuffer
        /// What the canvas was before the frame, for one that is taken back.
        var previous: PixelBuffer?
    }

    init(_ file: PNGFile, _ animation: PNGAnimation, _ decoding: RowDecoding, limits: DecodeLimits) {
        self.file = file
        self.animation = animation
        self.decoding = decoding
        self.limits = limits
        durations = animation.frames.map { FrameDuration.played($0.delay.duration) }
    }

    var frameCount: Int { animation.frames.count }
    var loopCount: Int { animation.loopCount }
    let durations: [Duration]

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        try frame(at: index, DecodeMonitor(limits: limits))
    }

    func frame(at index: Int, _ monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        guard animation.frames.indices.contains(index) else {
            throw ImageError(
                .badImageData, .decode,
                "this png has \(frameCount) frame(s) and none at index \(index); frames count from 0")
        }
        // `Mutex` knows no typed throws, so the error leaves as a value.
        let composed = state.withLock { state in
            Result { () throws(ImageError) in try compose(index, from: &state, monitor) }
        }
        return try decoding.watched(by: monitor).decode(composed.get())
    }

    private func compose(
        _ index: Int, from state: inout State?, _ monitor: DecodeMonitor
    ) throws(ImageError) -> PixelBuffer {
        if let state, state.index == index { return state.canvas }
        // Whatever goes wrong leaves nothing behind that a later call could build on.
        var work = state
        state = nil
        let start = lastStart(for: index)
        if let known = work?.index, known > index || known < start { work = nil }
        let first = work.map { $0.index + 1 } ?? start
        for next in first...index {
            try advance(&work, to: next, monitor)
        }
        guard let result = work else { return try decoding.emptyPicture(file.header.size) }
        // A frame that was composed without what stood before it cannot be taken back.
        let isAlone = first == index && index == start && !startsBlank(index)
        state = isAlone && disposal(of: index) == .restorePrevious ? nil : result
        return result.canvas
    }

    private func advance(_ state: inout State?, to index: Int, _ monitor: DecodeMonitor) throws(ImageError) {
        var canvas: PixelBuffer
        if let before = state.take() {
            canvas = disposed(before)
        } else {
            canvas = try decoding.emptyPicture(file.header.size)
        }
        let previous = disposal(of: index) == .restorePrevious ? canvas : nil
        try draw(index, on: &canvas, monitor)
        state = State(index: index, canvas: canvas, previous: previous)
    }

    private func disposed(_ state: consuming State) -> PixelBuffer {
        // The only owner of the canvas changes it in place.
        var state = state
        switch disposal(of: state.index) {
        case .keep: break
        case .restorePrevious: return state.previous ?? state.canvas
        case .clear: state.canvas.clear(animation.frames[state.index].placement)
        }
        return state.canvas
    }

    private func draw(
        _ index: Int, on canvas: inout PixelBuffer, _ monitor: DecodeMonitor
    ) throws(ImageError) {
        let frame = animation.frames[index]
        if let fault = frame.fault { throw fault }
        canvas.put(try pixels(of: frame, monitor), frame.placement, frame.blending)
    }

    private func pixels(of frame: PNGFrame, _ monitor: DecodeMonitor) throws(ImageError) -> PixelBuffer {
        switch frame.pixels {
        case .ofDefaultPicture:
            if let pixels = try PNGPieces(ofDefaultPictureOf: file)?.pixels(decoding, monitor) { return pixels }
            return try PNGReader.withDefaultPicture(of: file) { reader throws(ImageError) in
                try reader.pixels(decoding, monitor)
            }
        case .chunks(let chunks):
            let pieces = try PNGPieces(chunks, size: frame.placement.size, of: file)
            if let pixels = try pieces.pixels(decoding, monitor) { return pixels }
            return try PNGReader.withPixels(pieces) { reader throws(ImageError) in
                try reader.pixels(decoding, monitor)
            }
        }
    }

    // MARK: Which frames build on which

    /// As if every frame before it had been taken off the canvas. Taking back the first frame leaves nothing.
    private func disposal(of index: Int) -> FramePlacement.Disposal {
        let disposal = animation.frames[index].placement.disposal
        return index == 0 && disposal == .restorePrevious ? .clear : disposal
    }

    private func startsBlank(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        return disposal(of: index - 1) == .clear && animation.frames[index - 1].placement.covers(file.header.size)
    }

    private func replacesCanvas(_ index: Int) -> Bool {
        let frame = animation.frames[index]
        return frame.placement.covers(file.header.size) && (frame.blending == .source || !file.hasAlpha)
    }

    /// The last frame from which a blank canvas leads to the given one.
    private func lastStart(for index: Int) -> Int {
        var candidate = index
        while candidate > 0 {
            if startsBlank(candidate) { return candidate }
            let canBeTakenBack = disposal(of: candidate) == .restorePrevious
            if replacesCanvas(candidate), candidate == index || !canBeTakenBack { return candidate }
            candidate -= 1
        }
        return 0
    }
}
