import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What is known of a JPEG that is still coming.
///
/// Of a file in one scan the rows so far make the partial picture; of one in several, all that was gathered does.
final class JPEGArrival: ImageArrival {
    private let options: DecodeOptions
    private var reader: JPEGReader
    private var picture: Picture?
    private var byteCount = 0
    private var headerByteCount = 0
    private var hasEnded = false
    /// The result, where the small picture of the EXIF block is enough and the file goes on to its end.
    private var thumbnail: DecodedImage?
    private var isThumbnailShown = false

    /// What there is from the header on. A class, so that its sink is changed in place.
    ///
    /// The sink is made when there are rows for it, so that it may get the memory of a preview that is gone.
    private final class Picture {
        let decoding: RowDecoding
        let rows: JPEGRows
        var sink: DecodingSink?
        var previews: JPEGPreviews
        /// `nil` where all scans are wanted, as when they turn out not to be followed by an end.
        var sufficiency: JPEGSufficiency?
        /// Whether the scans so far are enough, if the file goes on to its end.
        var isSufficient = false

        init(
            _ decoding: RowDecoding, _ rows: JPEGRows, previews: JPEGPreviews, _ sufficiency: JPEGSufficiency?
        ) {
            self.decoding = decoding
            self.rows = rows
            self.previews = previews
            self.sufficiency = sufficiency
        }

        var rowCount: Int { sink?.rowCount ?? 0 }

        func prepareSink() throws(ImageError) {
            if sink == nil { sink = try decoding.sink(rowsOf: rows.size, showing: rows.part) }
        }
    }

    init(_ options: DecodeOptions) throws(ImageError) {
        self.options = options
        reader = try .fed()
    }

    // MARK: Bytes

    func take(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        byteCount += bytes.count
        try unsafe reader.feed(bytes)
        try advance()
    }

    private func advance() throws(ImageError) {
        if picture == nil, try reader.readHeader() {
            headerByteCount = byteCount - reader.waitingByteCount
            picture = try begin()
        }
        guard let picture, thumbnail == nil, hasEnded || !reader.cannotWait else { return }
        // Each stop costs a little, so a small file does not stop often.
        guard hasEnded || reader.waitingByteCount >= min(Self.fastByteCount, byteCount >> 3) else { return }
        guard reader.hasScans else { return try readRows(of: picture, keeping: reserve(of: picture)) }
        try gatherScans(of: picture)
    }

    private func gatherScans(of picture: Picture) throws(ImageError) {
        while !picture.isSufficient {
            let scanCount = reader.completedScanCount
            guard try reader.gather() == .some else { return }
            if reader.completedScanCount > scanCount {
                picture.isSufficient = picture.sufficiency?.isReached(by: reader.accuracies) == true
            }
        }
        guard hasEnded, !reader.endIsAhead else { return }
        // The file is cut; where exactly is found by reading on.
        (picture.sufficiency, picture.isSufficient) = (nil, false)
        try gatherScans(of: picture)
    }

    private func begin() throws(ImageError) -> Picture {
        let color = reader.color(limits: options.limits)
        let probe = reader.probe()
        // The time that bytes take to come does not count.
        var limits = options.limits
        limits.maxSeconds = 0
        let monitor = DecodeMonitor(limits: limits)
        let decoding = try RowDecoding(probe, color: color, options: options, monitor: monitor)
        thumbnail = try reader.thumbnail(decoding, options, monitor)
        let rows = try reader.start(decoding, limits: options.limits)
        let isConverted =
            options.colorConversion == .sRGB && color.encoding != .standard
            && probe.profileName?.hasPrefix("sRGB") != true
        let previews = JPEGPreviews(
            decoding, rowSize: rows.size, isTurned: probe.orientation != .up, isConverted: isConverted)
        return Picture(decoding, rows, previews: previews, JPEGSufficiency(decoding, options))
    }

    /// The library reads a block fast while there are more bytes than any six of them take.
    private static let fastByteCount = 1 << 12

    /// How many bytes to leave: those of the next rows of blocks, so that none has to stop half-way and go on slowly.
    private func reserve(of picture: Picture) -> Int {
        guard !hasEnded else { return 0 }
        let used = byteCount - reader.waitingByteCount - headerByteCount
        // Before the first row of blocks is done, some of its bytes may be used all the same.
        let (blockRows, rowCount) = (max(1, 16 / picture.rows.denominator), picture.rowCount)
        return min(Self.fastByteCount, byteCount >> 3) + used / max(blockRows, rowCount) * blockRows * 5 / 4
    }

    /// Reads the rows that there are bytes for, down to a number of bytes that are left.
    private func readRows(of picture: Picture, keeping reserve: Int = 0) throws(ImageError) {
        try picture.prepareSink()
        do throws(ImageError) {
            while picture.sink?.isComplete == false, reserve == 0 || reader.waitingByteCount > reserve {
                let y = picture.rowCount
                try unsafe picture.sink?.withNextRow { row throws(ImageError) in
                    guard try unsafe reader.read(row, y) else { throw Self.starved }
                }
            }
        } catch {
            guard error.code == Self.starved.code else { throw error }
        }
    }

    /// Ends the filling of a row that has to wait, so that the sink does not count it; goes no further than that.
    private static let starved = ImageError(.incompleteRow, .decode, "more bytes are wanted")

    // MARK: Pictures

    func preview() throws(ImageError) -> DecodedImage? {
        guard let picture else { return nil }
        if thumbnail != nil {
            defer { isThumbnailShown = true }
            return isThumbnailShown ? nil : thumbnail
        }
        guard reader.hasScans else {
            guard picture.previews.takeRows(picture.rowCount), let sink = picture.sink else { return nil }
            return picture.decoding.partialImage(of: sink)
        }
        guard picture.previews.takeScans(reader.completedScanCount, byteCount: byteCount), try reader.beginPass()
        else { return nil }
        try readRows(of: picture)
        return picture.sink.take().map { picture.decoding.image(of: $0) }
    }

    func finish() throws(ImageError) -> DecodedImage {
        reader.endFeeding()
        hasEnded = true
        try advance()
        if let thumbnail, reader.endIsAhead { return thumbnail }
        // The file is cut; where exactly is found by reading on.
        if thumbnail.take() != nil { try advance() }
        guard let picture else { throw ImageError(.badImageData, .decode, "the jpeg ends in its header") }
        if reader.hasScans {
            _ = try reader.beginPass()
            try readRows(of: picture)
        }
        try reader.checkIsComplete()
        try picture.prepareSink()
        guard let sink = picture.sink.take() else { throw Self.starved }
        return picture.decoding.image(of: sink)
    }
}

extension ImageError.Code {
    fileprivate static let incompleteRow = ImageError.Code(rawValue: -1)
}
