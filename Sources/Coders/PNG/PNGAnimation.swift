import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One frame as its chunks describe it (PNG Third Edition, 11.3.6.2).
struct PNGFrame {
    enum Blending {
        /// The frame's pixels take the place of the canvas's, transparency and all.
        case source
        /// They are laid over the canvas.
        case over
    }

    enum Pixels {
        /// Those of the default picture.
        case ofDefaultPicture
        /// Those of the given fdAT chunks.
        case chunks([PNGChunk])
    }

    var placement: FramePlacement
    var blending: Blending
    /// As stored.
    var delay: PNGDelay
    var pixels: Pixels
    /// Why the frame cannot be shown.
    var fault: ImageError?
}

/// An animation, none of whose frames has been decoded.
struct PNGAnimation {
    /// 0 is for ever.
    var loopCount: Int
    /// At least one.
    var frames: [PNGFrame]

    /// Whether the file's default picture is not part of the animation.
    var hidesDefaultPicture: Bool {
        if case .ofDefaultPicture = frames[0].pixels { return false }
        return true
    }
}

/// Gathers the animation chunks of a file.
struct PNGFrameWalk {
    private let canvas: PixelSize
    private var announced: (frameCount: Int, loopCount: Int)?
    private var frames: [PNGFrame] = []
    private var hasPixels = false
    private var nextSequenceNumber = 0
    /// A rule is broken that leaves nothing but the default picture.
    private var isUseless = false
    /// No file of a sane size has more; each costs memory.
    private static let maxFrameCount = 1 << 20

    init(canvas: PixelSize) {
        self.canvas = canvas
    }

    mutating func take(_ chunk: PNGChunk, in data: Data) {
        switch chunk.name {
        case .pixels: hasPixels = true
        // Behind the pixels it makes no animation.
        case .animation where !hasPixels && announced == nil && data.isSound(chunk):
            let reader = ByteReader(data.part(chunk.body), .bigEndian)
            if let frameCount = reader.uint32(0), let loopCount = reader.uint32(4), frameCount > 0 {
                announced = (frameCount, loopCount)
            }
        case .frame: takeFrame(chunk, ByteReader(data.part(chunk.body), .bigEndian), data.isSound(chunk))
        case .framePixels: takePixels(chunk, ByteReader(data.part(chunk.body), .bigEndian))
        default: break
        }
    }

    private mutating func takeFrame(_ chunk: PNGChunk, _ body: ByteReader, _ isSound: Bool) {
        guard let announced, frames.count < min(announced.frameCount, Self.maxFrameCount) else { return }
        let isNext = isNext(body)
        guard isSound, var frame = PNGFrame(body, on: canvas) else {
            append(Self.unusableFrame(chunk, on: canvas))
            return
        }
        if !isNext { frame.fault = .brokenFrame(at: chunk.offset, "its sequence number is out of order") }
        frame.pixels = hasPixels ? .chunks([]) : .ofDefaultPicture
        append(frame)
    }

    private mutating func append(_ frame: PNGFrame) {
        if !hasPixels {
            // The default picture fills the canvas, and is one frame at most.
            isUseless = isUseless || !frames.isEmpty || frame.fault != nil || !frame.placement.covers(canvas)
        }
        frames.append(frame)
    }

    private mutating func takePixels(_ chunk: PNGChunk, _ body: ByteReader) {
        guard announced != nil, let last = frames.indices.last, case .chunks(var chunks) = frames[last].pixels else {
            return
        }
        if !isNext(body) || !chunk.isWhole {
            let reason = chunk.isWhole ? "its sequence number is out of order" : "the file ends in it"
            frames[last].fault = frames[last].fault ?? .brokenFrame(at: chunk.offset, reason)
        }
        // Taken out while it grows, or each step would copy it.
        frames[last].pixels = .chunks([])
        chunks.append(chunk)
        frames[last].pixels = .chunks(chunks)
    }

    private mutating func isNext(_ body: ByteReader) -> Bool {
        guard let number = body.uint32(0) else { return false }
        defer { nextSequenceNumber = number + 1 }
        return number == nextSequenceNumber
    }

    private static func unusableFrame(_ chunk: PNGChunk, on canvas: PixelSize) -> PNGFrame {
        PNGFrame(
            placement: FramePlacement(x: 0, y: 0, size: canvas, disposal: .keep), blending: .over,
            delay: PNGDelay(.zero), pixels: .chunks([]),
            fault: .brokenFrame(at: chunk.offset, "its fcTL chunk breaks the rules"))
    }

    var animation: PNGAnimation? {
        guard let announced, !frames.isEmpty, !isUseless else { return nil }
        return PNGAnimation(loopCount: announced.loopCount, frames: frames)
    }
}

extension PNGFrame {
    /// `nil` for what breaks the rules.
    fileprivate init?(_ body: ByteReader, on canvas: PixelSize) {
        guard body.count == 26, let width = body.uint32(4), let height = body.uint32(8), let x = body.uint32(12),
            let y = body.uint32(16), let numerator = body.uint16(20), let denominator = body.uint16(22),
            width > 0, height > 0, x + width <= canvas.width, y + height <= canvas.height,
            let disposal = body.uint8(24), disposal <= 2, let blending = body.uint8(25), blending <= 1
        else { return nil }
        placement = FramePlacement(
            x: x, y: y, size: PixelSize(width, height),
            disposal: disposal == 0 ? .keep : disposal == 1 ? .clear : .restorePrevious)
        self.blending = blending == 0 ? .source : .over
        delay = PNGDelay(numerator: numerator, denominator: denominator == 0 ? 100 : denominator)
        pixels = .ofDefaultPicture
    }
}

extension ImageError {
    static func brokenFrame(at offset: Int, _ reason: String) -> ImageError {
        ImageError(.badImageData, .decode, "a frame of the animated png is damaged near byte \(offset): \(reason)")
    }
}
