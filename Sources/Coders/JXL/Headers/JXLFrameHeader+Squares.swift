import WebImagePixels

/// The squares that a frame is cut into, whose samples are sections of their own.
extension JXLFrameHeader {
    /// Samples as they are stored.
    var storedSize: PixelSize {
        PixelSize(size.width.divided(by: upsampling), size.height.divided(by: upsampling))
    }

    /// The side of these squares, in samples.
    var groupSide: Int { 128 << groupShift }

    var groupColumnCount: Int { storedSize.width.divided(by: groupSide) }

    /// How many of these squares there are.
    var groupCount: Int { groupColumnCount * storedSize.height.divided(by: groupSide) }

    /// How many squares, of blocks, its eighth is made of, from left to right.
    var lowFrequencyColumnCount: Int { storedSize.width.blocks(chromaShift.horizontal).divided(by: groupSide) }

    /// How many squares, of blocks, its eighth is made of.
    var lowFrequencyGroupCount: Int {
        lowFrequencyColumnCount * storedSize.height.blocks(chromaShift.vertical).divided(by: groupSide)
    }

    /// How many sections its table of contents tells of.
    var sectionCount: Int {
        hasOneSection ? 1 : 2 + lowFrequencyGroupCount + groupCount * passCount
    }

    var hasOneSection: Bool { groupCount == 1 && passCount == 1 }

    /// How much smaller a channel of colour is stored, as powers of two.
    func chromaShift(ofChannel index: Int) -> (horizontal: Int, vertical: Int) {
        let own = Self.shift(ofMode: sampling[index])
        return (chromaShift.horizontal - own.horizontal, chromaShift.vertical - own.vertical)
    }

    /// How much smaller the smallest channel of colour is, as powers of two.
    private var chromaShift: (horizontal: Int, vertical: Int) {
        let shifts = sampling.map(Self.shift)
        return (shifts.map(\.horizontal).max() ?? 0, shifts.map(\.vertical).max() ?? 0)
    }

    private static func shift(ofMode mode: Int) -> (horizontal: Int, vertical: Int) {
        (mode == 1 || mode == 2 ? 1 : 0, mode == 1 || mode == 3 ? 1 : 0)
    }

    /// How much smaller than the frame the channels are, as powers of two, that come with a pass.
    func shifts(ofPass pass: Int) -> ClosedRange<Int>? {
        var (smallest, largest) = (3, 2)
        for index in 0...pass {
            if index > 0 { largest = smallest - 1 }
            for step in steps where step.pass == index { smallest = step.factor.trailingZeroBitCount }
            if index == passCount - 1 { smallest = 0 }
        }
        return smallest <= largest ? smallest...largest : nil
    }
}

extension Int {
    /// The quotient, rounded up.
    func divided(by divisor: Int) -> Int {
        (self + divisor - 1) / divisor
    }

    /// How many blocks of eight cover so many samples, each channel with whole ones.
    func blocks(_ shift: Int) -> Int {
        divided(by: 8 << shift) << shift
    }
}
