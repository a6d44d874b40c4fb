import WebImageCore
import WebImageFoundation

/// What the boxes of an AVIF sequence say about time (ISO 14496-12): libavif 0.11 does not tell how often a sequence
/// plays, and walks over all frames to tell the time of one.
struct AVIFTrack {
    /// How often the sequence plays, 0 for ever; `nil` without an edit list.
    private(set) var loopCount: Int?
    /// Ticks of the frames' clock in a second; 0 when it is not told.
    private(set) var timescale = 0
    /// Runs of frames of one delay in ticks, in order.
    private(set) var runs: [(count: Int, delay: Int)] = []
    /// The largest width and height that any picture of the file claims.
    private(set) var largestClaim: (width: Int, height: Int)?

    /// Of the first track that is no other's alpha; all empty for a file without tracks.
    init(_ data: Data) {
        let boxes = ISOBoxes(data)
        let file = 0..<data.count
        largestClaim = Self.largestClaim(boxes, file)
        guard let movie = boxes.first("moov", in: file),
            let track = boxes.all("trak", in: movie).first(where: { !Self.isAuxiliary(boxes, $0) })
        else { return }
        if let media = boxes.first("mdia", in: track) { readTiming(boxes, media) }
        loopCount = Self.loopCount(boxes, track)
    }

    /// The delay of each frame in ticks; frames that no run tells of are as long as the last.
    func delays(frameCount: Int) -> [Int] {
        var delays: [Int] = []
        for run in runs where delays.count < frameCount {
            delays += Array(repeating: run.delay, count: min(run.count, frameCount - delays.count))
        }
        return delays + Array(repeating: delays.last ?? 0, count: frameCount - delays.count)
    }

    private mutating func readTiming(_ boxes: ISOBoxes, _ media: Range<Int>) {
        if let header = boxes.first("mdhd", in: media) {
            let isLong = boxes.reader.uint8(header.lowerBound) == 1
            timescale = boxes.uint32(isLong ? 20 : 12, of: header) ?? 0
        }
        guard let times = boxes.first(path: ["minf", "stbl", "stts"], in: media),
            let count = boxes.uint32(4, of: times)
        else { return }
        for entry in 0..<min(count, times.count / 8) {
            guard let frames = boxes.uint32(8 + entry * 8, of: times),
                let delay = boxes.uint32(12 + entry * 8, of: times)
            else { return }
            runs.append((frames, delay))
        }
    }

    /// An alpha track says whose it is.
    private static func isAuxiliary(_ boxes: ISOBoxes, _ track: Range<Int>) -> Bool {
        boxes.first(path: ["tref", "auxl"], in: track) != nil
    }

    /// An edit list that repeats (flag 1) does so until the track's time is over; one that does not plays once.
    private static func loopCount(_ boxes: ISOBoxes, _ track: Range<Int>) -> Int? {
        guard let list = boxes.first(path: ["edts", "elst"], in: track),
            let versionAndFlags = boxes.uint32(0, of: list)
        else { return nil }
        guard versionAndFlags & 1 == 1 else { return 1 }
        let isLong = versionAndFlags >> 24 == 1
        guard boxes.uint32(4, of: list) == 1,
            let segment = isLong ? boxes.uint64(8, of: list) : boxes.long(8, of: list),
            segment > 0, let header = boxes.first("tkhd", in: track)
        else { return nil }
        let isLongHeader = boxes.reader.uint8(header.lowerBound) == 1
        guard let total = isLongHeader ? boxes.uint64(28, of: header) : boxes.long(20, of: header) else { return nil }
        let isEndless = total == (isLongHeader ? UInt64.max : UInt64(UInt32.max))
        guard !isEndless else { return 0 }
        let plays = total / segment + (total % segment == 0 ? 0 : 1)
        return max(1, Int(clamping: plays))
    }

    private static func largestClaim(_ boxes: ISOBoxes, _ file: Range<Int>) -> (width: Int, height: Int)? {
        guard let meta = boxes.first("meta", in: file), meta.count > 4,
            let properties = boxes.first(path: ["iprp", "ipco"], in: meta.dropFirst(4))
        else { return nil }
        var largest: (width: Int, height: Int)?
        for extent in boxes.all("ispe", in: properties) {
            guard let width = boxes.uint32(4, of: extent), let height = boxes.uint32(8, of: extent) else { continue }
            largest = (max(width, largest?.width ?? 0), max(height, largest?.height ?? 0))
        }
        return largest
    }
}
