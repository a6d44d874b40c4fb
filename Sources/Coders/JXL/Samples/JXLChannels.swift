/// The channels of a modular picture, and what its transforms make of them (ISO/IEC 18181-1, annex H.6).
struct JXLChannels {
    struct Channel: Equatable {
        var width: Int
        var height: Int
        /// How much smaller it is than the picture, as powers of two.
        var horizontalShift = 0
        var verticalShift = 0

        var isEmpty: Bool { width == 0 || height == 0 }
    }

    var all: [Channel] = []
    /// How many of the first hold palettes.
    private(set) var paletteCount = 0

    /// Those that are read before the squares are: not larger than one.
    func leading(upTo side: Int) -> ArraySlice<Channel> {
        let end = all.indices.first { index in
            index >= paletteCount && !all[index].isEmpty && (all[index].width > side || all[index].height > side)
        }
        return all[..<(end ?? all.count)]
    }

    /// The part of those that are larger than a square which lies in one of these.
    ///
    /// - Parameters:
    ///   - x: Where it begins.
    ///   - side: Of the square.
    ///   - smallestSide: That of the squares of which none is read before.
    ///   - shifts: How much smaller the channels are that are wanted.
    func part(x: Int, y: Int, side: Int, largerThan smallestSide: Int, shifts: ClosedRange<Int>) -> JXLChannels {
        var part = JXLChannels()
        let isLarger = { (channel: Channel) in channel.width > smallestSide || channel.height > smallestSide }
        for channel in all.dropFirst(paletteCount).drop(while: { !isLarger($0) }) {
            guard shifts.contains(min(channel.horizontalShift, channel.verticalShift)) else { continue }
            var cut = channel
            cut.width = max(0, min(side >> channel.horizontalShift, channel.width - x >> channel.horizontalShift))
            cut.height = max(0, min(side >> channel.verticalShift, channel.height - y >> channel.verticalShift))
            if !cut.isEmpty { part.all.append(cut) }
        }
        return part
    }
}

extension JXLChannels {
    /// What is done to channels before they are written.
    enum Transform {
        /// Of three colours.
        case colors(first: Int)
        /// Channels become one, of places in a list of colours, which is a channel too.
        case palette(first: Int, count: Int, colorCount: Int)
        /// Channels are halved time and again; the usual way without steps.
        case squeeze([Step])
    }

    struct Step {
        var isHorizontal: Bool
        /// Whether the other half goes behind its own channels, and not behind all.
        var isInPlace: Bool
        var first: Int
        var count: Int
    }

    /// How many there may be. Halving may make a million of them in which there is nothing.
    private static let maxCount = 4096

    mutating func apply(_ transform: Transform) throws(JXLFault) {
        switch transform {
        case .colors(let first): try checkAlike(first, 3)
        case .palette(let first, let count, let colorCount): try makePalette(first, count, colorCount)
        case .squeeze(let steps):
            for step in steps.isEmpty ? usualSteps : steps { try squeeze(step) }
        }
    }

    private func checkAlike(_ first: Int, _ count: Int) throws(JXLFault) {
        let end = first + count
        guard end <= all.count, first >= paletteCount || end <= paletteCount,
            all[first..<end].allSatisfy({ $0 == all[first] })
        else { throw .damaged("a transform is of channels that are not alike") }
    }

    private mutating func makePalette(_ first: Int, _ count: Int, _ colorCount: Int) throws(JXLFault) {
        try checkAlike(first, count)
        paletteCount += first >= paletteCount ? 1 : 2 - count
        all.removeSubrange(first + 1..<first + count)
        all.insert(Channel(width: colorCount, height: count, horizontalShift: -1), at: 0)
    }

    private mutating func squeeze(_ step: Step) throws(JXLFault) {
        let end = step.first + step.count
        guard end <= all.count, step.first >= paletteCount || (end <= paletteCount && step.isInPlace) else {
            throw .damaged("a transform is of channels that are not there")
        }
        guard all.count + step.count <= Self.maxCount else { throw .excessive("so many channels by halving") }
        if step.first < paletteCount { paletteCount += step.count }
        var others: [Channel] = []
        for index in step.first..<end {
            guard max(all[index].horizontalShift, all[index].verticalShift) <= 30 else {
                throw .damaged("a channel is halved too often")
            }
            others.append(all[index].halve(step.isHorizontal))
        }
        all.insert(contentsOf: others, at: step.isInPlace ? end : all.count)
    }

    /// First the two channels of chroma, then all, until the first is eight samples wide and high.
    private var usualSteps: [Step] {
        guard paletteCount < all.count else { return [] }
        let first = all[paletteCount]
        let count = all.count - paletteCount
        var (width, height) = (first.width, first.height)
        var steps: [Step] = []
        if count > 2, (all[paletteCount + 1].width, all[paletteCount + 1].height) == (width, height) {
            for isHorizontal in [true, false] {
                steps.append(Step(isHorizontal: isHorizontal, isInPlace: false, first: paletteCount + 1, count: 2))
            }
        }
        var isHorizontal = width > height
        while width > 8 || height > 8 {
            if isHorizontal ? width > 8 : height > 8 {
                steps.append(Step(isHorizontal: isHorizontal, isInPlace: true, first: paletteCount, count: count))
                if isHorizontal { width = (width + 1) / 2 } else { height = (height + 1) / 2 }
            }
            isHorizontal.toggle()
        }
        return steps
    }
}

extension JXLChannels.Channel {
    /// - Returns: The half that it loses.
    fileprivate mutating func halve(_ isHorizontal: Bool) -> Self {
        var other = self
        if isHorizontal {
            width = (width + 1) / 2
            horizontalShift += 1
            other.width -= width
        } else {
            height = (height + 1) / 2
            verticalShift += 1
            other.height -= height
        }
        (other.horizontalShift, other.verticalShift) = (horizontalShift, verticalShift)
        return other
    }
}
