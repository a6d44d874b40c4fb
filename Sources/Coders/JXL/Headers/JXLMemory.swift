import WebImageCore
import WebImagePixels

/// What libjxl allocates for the frames of a file, estimated from their headers, and how much of it there may be.
///
/// Samples are held as 32-bit numbers, colours as three channels even of a grey picture. A frame is held while it is
/// read; four may be kept for others to be laid on or to take patches of, and four as the eighth of others.
struct JXLMemory {
    /// What channels may take however few samples they have: hundreds of them in usual groups.
    private static let overheadBudget = 1 << 29

    private let budget: Int
    private let canvas: PixelSize
    private let channelCount: Int
    /// Bytes of what is kept, by place.
    private var kept = [Int](repeating: 0, count: 4)
    private var keptLevels = [Int](repeating: 0, count: 4)

    /// What a picture of `maxPixelCount` in RGBA takes, four times; and for what does not depend on size, 128 MiB.
    init(_ limits: DecodeLimits, _ image: JXLImageHeader) {
        let (bytes, overflow) = limits.maxPixelCount.multipliedReportingOverflow(by: 4 * 4 * 4)
        budget = overflow ? .max : max(0, bytes).clampedSum(1 << 27)
        canvas = image.size
        channelCount = 3 + image.extraChannels.count
    }

    /// Takes a frame into account.
    ///
    /// - Returns: How many bytes there are while it is read; `nil` where that is more than may be.
    mutating func take(_ frame: JXLFrameHeader) -> Int? {
        let samples = bytes(of: frame.size)
        let overhead = overhead(frame)
        let total = (kept + keptLevels).reduce(work(frame, samples).clampedSum(overhead)) { $0.clampedSum($1) }
        guard total <= budget, overhead <= Self.overheadBudget else { return nil }
        if frame.kind == .lowFrequency {
            keptLevels[frame.level - 1] = samples
        } else if frame.isKept {
            // What is laid on others is kept as the whole canvas.
            kept[frame.reference] = frame.kind == .referenceOnly ? samples : max(samples, bytes(of: canvas))
        }
        return total
    }

    /// What it takes to read a frame, beside what is kept.
    private func work(_ frame: JXLFrameHeader, _ samples: Int) -> Int {
        var total = samples
        if frame.isModular {
            // As whole numbers first.
            total = total.clampedSum(samples)
        } else if frame.passCount > 1 {
            // The coefficients of all groups, whole ones, between the passes.
            total = total.clampedSum(frame.groupCount.clampedProduct(256 * 256 * 3 * 4))
        }
        return total
    }

    /// What each channel takes whatever its size: a group, a palette, and for each step over it some bookkeeping.
    private func overhead(_ frame: JXLFrameHeader) -> Int {
        let side = frame.groupSide + 64
        return channelCount.clampedProduct(side * side * 4 + 70_912 * 4 + (channelCount + 32) * 128)
    }

    /// The bytes of all channels, each of whose rows is padded.
    private func bytes(of size: PixelSize) -> Int {
        // A vector of 64 bytes may be read at the last sample; rows begin at 128 bytes.
        let row = size.width.clampedProduct(4).clampedSum(60 + 127) / 128 * 128
        return row.clampedProduct(size.height).clampedProduct(channelCount)
    }
}

extension Int {
    func clampedSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func clampedProduct(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
