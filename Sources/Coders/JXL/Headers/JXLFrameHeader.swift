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

    enum Colors {
        case xyb
        case luma
        /// Those of the profile.
        case original
    }

    /// What is laid over it when it has been decoded.
    struct Features: OptionSet {
        let rawValue: UInt64
        static let noise = Self(rawValue: 1)
        static let patches = Self(rawValue: 2)
        static let splines = Self(rawValue: 16)
    }

    var kind = Kind.regular
    /// Whether samples are stored as such and not as coefficients of blocks.
    var isModular = false
    var features = Features()
    /// As it lies on the canvas, enlarged where it is stored smaller.
    var size: PixelSize
    /// How much smaller it is stored.
    var upsampling = 1
    /// How much smaller each extra channel is stored than the frame is.
    var extraUpsampling: [Int] = []
    var colors = Colors.original
    /// How the three channels of colour are sampled, each in one of four ways.
    var sampling = [0, 0, 0]
    /// Modular groups are squares of 128 times two to the power of this.
    var groupShift = 1
    var passCount = 1
    /// Of passes that finish a smaller picture: which pass, and how much smaller, in order.
    var steps: [(pass: Int, factor: Int)] = []
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
