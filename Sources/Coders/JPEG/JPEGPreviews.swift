import WebImageCore
import WebImagePixels

/// Which partial pictures are made, so that all of them together cost at most half of what decoding once does.
///
/// The costs are tenths of a nanosecond, measured on one machine; only their proportions matter. They are counted, not
/// measured as the work goes, so that the same bytes give the same pictures each time.
struct JPEGPreviews {
    private let pixelCount: Int
    private let height: Int
    private let rowPreviewCount: Int
    private let isLarge: Bool
    private let passCost: Int
    /// So small that it comes in a packet or two, and that making a picture at all is what a picture costs.
    private let isTiny: Bool
    private var shownRows = 0
    private var rowPreviewsMade = 0
    private var shownScans = 0
    private var passCount = 0

    init(_ decoding: RowDecoding, rowSize: PixelSize, isTurned: Bool, isConverted: Bool) {
        pixelCount = Self.count(decoding.storedSize)
        isTiny = pixelCount < 1 << 14
        height = rowSize.height
        let target = Self.count(decoding.targetSize)
        // Where the pool does not keep two such pictures, memory comes fresh from the system, which costs more than
        // filling it.
        isLarge = target > PixelMemoryPool.shared.byteLimit / 8
        let turning = isTurned ? (isLarge ? 24 : 10) * target : 0
        let converting = isConverted ? 30 * pixelCount : 0
        passCost = (isLarge ? 37 : 25) * pixelCount + turning + converting
        // A picture of rows is a copy of them, turned anew; a large one is made early, while there are few.
        let budget = (49 * pixelCount + turning + converting) * (isLarge ? 9 : 7) / 20
        let affordable = budget / max(1, isLarge ? 14 * target + turning / 2 : 7 * target + turning)
        // Bytes that come one by one cost too, and of a small picture all that its pixels leave.
        rowPreviewCount = pixelCount < 1 << 16 ? 0 : min(isLarge ? 1 : 3, affordable)
    }

    private static func count(_ size: PixelSize) -> Int {
        min(size.pixelCount ?? .max, 1 << 40)
    }

    /// Whether a picture of the rows so far is to be made.
    mutating func takeRows(_ rowCount: Int) -> Bool {
        let step = max(1, height / (isLarge ? 3 : rowPreviewCount + 1))
        // A large one that comes late costs too much, and shows little that the last does not.
        let isLate = isLarge && rowCount > height / 2
        guard rowPreviewsMade < rowPreviewCount, rowCount < height, rowCount - shownRows >= step, !isLate else {
            return false
        }
        shownRows = rowCount
        rowPreviewsMade += 1
        return true
    }

    /// Whether a picture of the scans so far is to be made: a pass over all pixels.
    mutating func takeScans(_ scanCount: Int, byteCount: Int) -> Bool {
        guard !isTiny, scanCount > shownScans, isAffordable(scanCount, byteCount) else { return false }
        shownScans = scanCount
        passCount += 1
        return true
    }

    private func isAffordable(_ scanCount: Int, _ byteCount: Int) -> Bool {
        // The first matters most. It comes before it is known what the rest will cost, which is commonly twice a pass.
        if passCount == 0, passCost <= 60 * pixelCount { return true }
        let gathering = 200 * byteCount + pixelCount / 4 * 5 * scanCount
        return (passCount + 1) * passCost <= (gathering + passCost) * 9 / 20
    }
}
