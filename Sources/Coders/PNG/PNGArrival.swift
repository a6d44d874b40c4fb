public import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A PNG that is still coming: rows as they come, of an interlaced picture all of it, coarse and ever finer.
///
/// The bytes are kept, as chunks behind the pixels can still turn the picture. A picture that no partial one can be
/// shown of, such as one frame of many, is decoded out of them when they are all there.
final class PNGArrival: ImageArrival {
    private let options: DecodeOptions
    private var data = Data()
    /// Where the chunk begins that was not yet there as a whole, or the next one.
    private var chunkOffset = PNGHeader.byteCount
    /// How much of the data was decoded.
    private var fedCount = 0
    private var stage = Stage.header

    private enum Stage {
        case header
        case pixels(any PNGPartialPicture)
        /// The pixels are over, or of no use before the end.
        case rest((any PNGPartialPicture)?)
    }

    init(_ options: DecodeOptions) {
        self.options = options
    }

    // MARK: Bytes

    func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        if let start = bytes.baseAddress {
            unsafe data.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        if case .header = stage { try findPixels() }
        if case .pixels(let picture) = stage { try feed(picture) }
    }

    /// Walks over the chunks before the pixels.
    private func findPixels() throws(ImageError) {
        guard data.count > PNGHeader.byteCount else { return }
        for chunk in PNGChunks(data, from: chunkOffset) {
            guard chunk.name != .pixels else { return try begin() }
            guard chunk.isWhole, chunk.name != .end else { break }
            chunkOffset = chunk.range(in: data.count).upperBound
        }
        try checkSize()
    }

    private func checkSize() throws(ImageError) {
        try options.limits.check(PNGHeader(data).size, of: .png)
    }

    private func begin() throws(ImageError) {
        let file = try PNGFile(data)
        // The number of frames is not known yet, so that no frame but the first can be asked for.
        var firstOptions = options
        firstOptions.frameIndex = 0
        // The time that bytes take to come does not count.
        var timeless = options.limits
        timeless.maxSeconds = 0
        let decoding = try file.decoding(firstOptions, DecodeMonitor(limits: timeless))
        guard options.frameIndex == 0, file.animation?.hidesDefaultPicture != true, !file.announcesHiddenPicture,
            let pixels = file.pixels, let picture = try file.partialPicture(decoding)
        else {
            stage = .rest(nil)
            return
        }
        fedCount = pixels.lowerBound
        stage = .pixels(picture)
    }

    /// Decodes what came of the pixel chunks.
    private func feed(_ picture: any PNGPartialPicture) throws(ImageError) {
        for chunk in PNGChunks(data, from: chunkOffset) {
            guard chunk.name == .pixels else {
                stage = .rest(picture)
                return
            }
            do throws(ImageError) {
                try picture.take(data, of: chunk, from: max(fedCount, chunk.offset))
            } catch {
                guard picture.isComplete else { throw error }
                // A fault behind the last row: what it means is found out at the end.
                stage = .rest(nil)
                return
            }
            fedCount = chunk.range(in: data.count).upperBound
            guard chunk.isWhole else { return }
            chunkOffset = fedCount
        }
    }

    // MARK: Pictures

    func preview() throws(ImageError) -> DecodedImage? {
        guard case .pixels(let picture) = stage else { return nil }
        return try picture.preview()
    }

    func finish() throws(ImageError) -> DecodedImage {
        // Only what follows the pixels shows that none is missing.
        guard case .rest(let picture?) = stage, picture.isComplete, picture.hasGoodEnd() else {
            return try decodeAgain()
        }
        let monitor = DecodeMonitor(limits: options.limits)
        // Nothing has come that could change what was known before the pixels.
        if PNGChunks(data, from: chunkOffset).first(where: { _ in true })?.name == .end {
            return try picture.picture(picture.decoding.watched(by: monitor))
        }
        let file = try PNGFile(data)
        let decoding = try file.decoding(options, monitor)
        let before = picture.decoding
        guard decoding.targetSize == before.targetSize, decoding.storedRegion == before.storedRegion,
            file.probe().hasAlpha == picture.hasAlpha
        else { return try decodeAgain() }
        return try picture.picture(decoding)
    }

    private func decodeAgain() throws(ImageError) -> DecodedImage {
        try PNGCoder().decode(data, options: options)
    }
}

extension PNGFile {
    /// `nil` when no part of the picture can be shown before its end.
    fileprivate func partialPicture(_ decoding: RowDecoding) throws(ImageError) -> (any PNGPartialPicture)? {
        if header.isInterlaced { return try PNGPasses(self, decoding) }
        return try PNGRows(self, decoding)
    }

    /// Whether it says that it is animated, and has not said that its default picture is part of that.
    fileprivate var announcesHiddenPicture: Bool {
        let names = Set(PNGChunks(data, from: PNGHeader.byteCount).prefix { $0.name != .pixels }.map(\.name))
        return names.contains(.animation) && !names.contains(.frame)
    }
}

extension PNGCoder: ProgressiveImageCoder {
    /// Shows rows as they come, of an interlaced picture the whole, ever finer. A frame other than the first is shown
    /// when it is whole.
    public func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder {
        PortionedDecoder(of: .png, limits: options.limits) { PNGArrival(options) }
    }
}
