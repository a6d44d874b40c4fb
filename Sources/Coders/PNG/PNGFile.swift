import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A file as its chunks show it, without a pixel decoded.
///
/// libpng gets only what it needs for pixels: all else is read here, so that a palette that only suggests colours, or a
/// chunk in the wrong place, cannot cost the picture or its transparency.
struct PNGFile {
    let data: Data
    let header: PNGHeader
    /// The chunks that colour palette pixels and make pixels transparent, if they are sound.
    private(set) var palette: PNGChunk?
    private(set) var transparency: PNGChunk?
    /// The first run of pixel chunks with nothing between them, clipped where the file ends.
    private(set) var pixels: Range<Int>?
    /// Whether another chunk follows the pixels, so that none of them can be missing.
    private(set) var hasAllPixels = false
    /// The first sound one of each kind that says what the picture is.
    private(set) var notes: [PNGChunkName: PNGChunk] = [:]
    /// `nil` for a still picture.
    private(set) var animation: PNGAnimation?

    /// Walks over the chunks up to the end, or to the first that is cut.
    ///
    /// - Throws: `badImageData` for a header that cannot be read, and for a fault before the pixels that leaves no way
    ///   to find them.
    init(_ data: Data) throws(ImageError) {
        self.data = data
        header = try PNGHeader(data)
        var frames = PNGFrameWalk(canvas: header.size)
        var previous: PNGChunkName?
        for chunk in PNGChunks(data, from: PNGHeader.byteCount) {
            guard chunk.name != .end else {
                hasAllPixels = pixels != nil
                break
            }
            try take(chunk, after: previous)
            frames.take(chunk, in: data)
            previous = chunk.name
        }
        if pixels == nil { throw Self.noPixels(data, after: previous ?? .header) }
        animation = frames.animation
    }

    private mutating func take(_ chunk: PNGChunk, after previous: PNGChunkName?) throws(ImageError) {
        switch chunk.name {
        case .pixels:
            let range = chunk.range(in: data.count)
            if pixels == nil { pixels = range } else if previous == .pixels { extendPixels(to: range.upperBound) }
            return
        case .palette where pixels == nil && header.colorType == .palette:
            if palette == nil { palette = chunk }
        case .transparency where pixels == nil:
            if transparency == nil, data.isSound(chunk) { transparency = chunk }
        case .codePoints, .profile, .standardRGB, .gamma, .chromaticities:
            if pixels == nil { note(chunk) }
        case .exif: note(chunk)
        case .text where isXMP(chunk): note(chunk)
        default:
            if pixels == nil { try check(chunk) }
        }
        if pixels != nil { hasAllPixels = true }
    }

    private mutating func extendPixels(to end: Int) {
        guard let start = pixels?.lowerBound, !hasAllPixels else { return }
        pixels = start..<end
    }

    private mutating func note(_ chunk: PNGChunk) {
        if notes[chunk.name] == nil, data.isSound(chunk) { notes[chunk.name] = chunk }
    }

    private func isXMP(_ chunk: PNGChunk) -> Bool {
        ByteReader(data, .bigEndian).has(PNGFile.xmpKeyword, at: chunk.body.lowerBound)
    }

    private func check(_ chunk: PNGChunk) throws(ImageError) {
        guard chunk.name.isWellFormed else {
            throw .damagedPNG(at: chunk.offset, "there is no chunk where one should begin")
        }
        guard chunk.isWhole else {
            throw ImageError(
                .badImageData, .decode,
                "the png is truncated: it ends in the \(chunk.name.text) chunk, before its pixels")
        }
        guard !chunk.name.isCritical || chunk.name == .palette else {
            throw .damagedPNG(at: chunk.offset, "the chunk \(chunk.name.text) is critical and unknown")
        }
    }

    private static func noPixels(_ data: Data, after previous: PNGChunkName) -> ImageError {
        ImageError(
            .badImageData, .decode,
            "the png has no pixels: it ends after \(data.count) bytes, its last chunk being \(previous.text)")
    }

    // MARK: What it says

    /// The body of a chunk.
    func body(_ name: PNGChunkName) -> Data? {
        notes[name].map { data.part($0.body) }
    }

    var orientation: Orientation {
        body(.exif).flatMap { Orientation(exifBlock: $0) } ?? .up
    }

    /// Whether pixels of the file may be transparent.
    var hasAlpha: Bool {
        switch header.colorType {
        case .grayAlpha, .rgba: true
        case .gray, .rgb, .palette: usableTransparency != nil
        }
    }

    /// The transparency chunk if it suits the colour type.
    var usableTransparency: PNGChunk? {
        guard let transparency else { return nil }
        let count = transparency.body.count
        return switch header.colorType {
        case .gray: count == 2 ? transparency : nil
        case .rgb: count == 6 ? transparency : nil
        case .palette: 1...max(1, paletteCount) ~= count ? transparency : nil
        case .grayAlpha, .rgba: nil
        }
    }

    private var paletteCount: Int {
        min(1 << header.depth, (palette?.body.count ?? 0) / 3)
    }

    /// What the pixels of any frame need before them: signature, header, palette, transparency.
    func head(size: PixelSize) -> Data {
        var head = Data(PNGHeader.signature) + header.chunk(of: size)
        for chunk in [palette, usableTransparency].compactMap(\.self) {
            head.append(data.part(chunk.range(in: data.count)))
        }
        return head
    }

    func probe(limits: DecodeLimits = DecodeLimits()) -> ImageProbe {
        let holes = animation?.frames.map(\.placement).leaveHoles(in: header.size) ?? false
        return ImageProbe(
            format: .png, size: orientation.upright(header.size), orientation: orientation, hasAlpha: hasAlpha || holes,
            frameCount: animation?.frames.count ?? 1, loopCount: animation?.loopCount,
            durations: animation?.frames.map(\.delay.milliseconds) ?? [],
            profileName: profile(limit: limits.maxMetadataByteCount).flatMap(ICCProfileName.name))
    }
}
