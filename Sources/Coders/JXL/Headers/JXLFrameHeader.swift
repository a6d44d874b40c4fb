import WebImagePixels

/// What a frame of a codestream says before its samples; hidden ones say the same.
struct JXLFrameHeader {
    enum Kind: Int {
        /// One that is shown, or laid under or over others.
        case regular
        /// The eighth of a later frame.
        case lowFrequency
        /// One that others take patches of.
        case referenceOnly
        /// As a regular one, but not to be shown before it is whole.
        case skipProgressive
    }

    var kind = Kind.regular
    /// Whether samples are stored as such and not as coefficients of blocks.
    var isModular = false
    /// Whether curves are drawn over it.
    var hasSplines = false
    /// As it lies on the canvas, enlarged where it is stored smaller.
    var size: PixelSize
    /// How much smaller it is stored.
    var upsampling = 1
    /// How much smaller chroma may be, as powers of two.
    var chromaShift = (horizontal: 0, vertical: 0)
    /// Modular groups are squares of 128 times two to the power of this.
    var groupShift = 1
    var passCount = 1
    /// Of a low-frequency frame: how often eight times smaller it is.
    var level = 0
    /// In ticks.
    var duration = 0
    var isLast = true
    /// The place, of four, in which it is kept for others.
    var reference = 0

    /// Whether all before it goes into what is shown when it has been read.
    var isShown: Bool { isLast || duration > 0 }

    /// Whether libjxl keeps it.
    var isKept: Bool { !isLast && kind != .lowFrequency && (duration == 0 || reference != 0) }
}

extension JXLFrameHeader {
    /// Samples as they are stored.
    private var storedSize: PixelSize {
        PixelSize(size.width.divided(by: upsampling), size.height.divided(by: upsampling))
    }

    /// Of the squares of samples that it is made of.
    var groupSide: Int { 128 << groupShift }

    /// How many of these squares there are.
    var groupCount: Int {
        storedSize.width.divided(by: groupSide) * storedSize.height.divided(by: groupSide)
    }

    /// How many squares, of blocks, its eighth is made of.
    private var lowFrequencyGroupCount: Int {
        func count(_ side: Int, _ shift: Int) -> Int {
            (side.divided(by: 8 << shift) << shift).divided(by: groupSide)
        }
        return count(storedSize.width, chromaShift.horizontal) * count(storedSize.height, chromaShift.vertical)
    }

    /// How many sections its table of contents tells of.
    var sectionCount: Int {
        if groupCount == 1, passCount == 1 { return 1 }
        return 2 + lowFrequencyGroupCount + groupCount * passCount
    }
}

extension Int {
    /// The quotient, rounded up.
    fileprivate func divided(by divisor: Int) -> Int {
        (self + divisor - 1) / divisor
    }
}
