import WebImagePixels

/// What a codestream says before its first frame, as far as it bears on how frames are written and what they cost.
struct JXLImageHeader {
    /// As stored, before any turning.
    let size: PixelSize
    /// The small picture that stands before the first frame, if there is one.
    let previewSize: PixelSize?
    let animation: Animation?
    let extraChannels: [ExtraChannel]
    /// Whether colours are in XYB, not in those of the profile.
    let isXYB: Bool
    /// Whether the colours of the profile are shades of grey.
    let isGray: Bool
    /// Where the first frame begins, in bytes.
    let end: Int

    struct Animation {
        let hasTimecodes: Bool
    }

    struct ExtraChannel {
        /// How much smaller than the picture it is stored, as a power of two.
        let shift: Int
    }

    /// Reads from the first byte of a codestream on.
    init(_ bits: inout JXLBits) throws(JXLFault) {
        guard try bits.read(16) == 0x0AFF else { throw .damaged("it begins as no codestream does") }
        size = try Self.size(&bits)
        let metadata = try Metadata(&bits)
        previewSize = metadata.previewSize
        animation = metadata.animation
        extraChannels = metadata.extraChannels
        isXYB = metadata.isXYB
        isGray = metadata.colors.isGray
        try JXLTransforms.skip(&bits, isXYB: isXYB)
        if metadata.colors.hasProfile { try JXLProfileReader.skip(&bits) }
        try bits.align()
        end = bits.position / 8
    }

    // MARK: Sizes

    private static func size(_ bits: inout JXLBits) throws(JXLFault) -> PixelSize {
        let isSmall = try bits.flag()
        let height = try side(&bits, isSmall)
        if let width = width(ofRatio: try bits.read(3), height) { return PixelSize(width, height) }
        return PixelSize(try side(&bits, isSmall), height)
    }

    private static func side(_ bits: inout JXLBits, _ isSmall: Bool) throws(JXLFault) -> Int {
        if isSmall { return (try bits.read(5) + 1) * 8 }
        return try bits.number(.bits(9, from: 1), .bits(13, from: 1), .bits(18, from: 1), .bits(30, from: 1))
    }

    private static func preview(_ bits: inout JXLBits) throws(JXLFault) -> PixelSize {
        let isInEights = try bits.flag()
        let height = try previewSide(&bits, isInEights)
        if let width = width(ofRatio: try bits.read(3), height) { return PixelSize(width, height) }
        return PixelSize(try previewSide(&bits, isInEights), height)
    }

    private static func previewSide(_ bits: inout JXLBits, _ isInEights: Bool) throws(JXLFault) -> Int {
        if isInEights {
            return try bits.number(.value(16), .value(32), .bits(5, from: 1), .bits(9, from: 33)) * 8
        }
        return try bits.number(.bits(6, from: 1), .bits(8, from: 65), .bits(10, from: 321), .bits(12, from: 1345))
    }

    /// `nil` where the width is written by itself.
    private static func width(ofRatio index: Int, _ height: Int) -> Int? {
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        guard index > 0 else { return nil }
        return height * ratios[index - 1].0 / ratios[index - 1].1
    }

    // MARK: Metadata

    private struct Metadata {
        var previewSize: PixelSize?
        var animation: Animation?
        var extraChannels: [ExtraChannel] = []
        var isXYB = true
        var colors = JXLColors()

        init(_ bits: inout JXLBits) throws(JXLFault) {
            if try bits.flag() { return }
            let hasMore = try bits.flag()
            if hasMore { try readMore(&bits) }
            try JXLImageHeader.skipDepth(&bits)
            // Whether 16 bits are enough for modular samples.
            try bits.skip(1)
            let count = try bits.number(.value(0), .value(1), .bits(4, from: 2), .bits(12, from: 1))
            for _ in 0..<count { extraChannels.append(try ExtraChannel(&bits)) }
            isXYB = try bits.flag()
            colors = try JXLColors(&bits)
            if hasMore { try JXLColors.skipToneMapping(&bits) }
            try bits.skipExtensions()
        }

        private mutating func readMore(_ bits: inout JXLBits) throws(JXLFault) {
            // The orientation.
            try bits.skip(3)
            if try bits.flag() { _ = try JXLImageHeader.size(&bits) }
            if try bits.flag() { previewSize = try JXLImageHeader.preview(&bits) }
            if try bits.flag() { animation = try Animation(&bits) }
        }
    }

    /// Passes over how samples are stored.
    fileprivate static func skipDepth(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() {
            let count = try bits.number(.value(32), .value(16), .value(24), .bits(6, from: 1))
            let exponent = try bits.read(4) + 1
            guard 2...8 ~= exponent, 2...23 ~= count - exponent - 1 else {
                throw .damaged("there are no such floating-point samples")
            }
        } else {
            guard try bits.number(.value(8), .value(10), .value(12), .bits(6, from: 1)) <= 31 else {
                throw .damaged("samples have too many bits")
            }
        }
    }
}

extension JXLImageHeader.Animation {
    fileprivate init(_ bits: inout JXLBits) throws(JXLFault) {
        // Ticks per second, and how often it plays.
        _ = try bits.number(.value(100), .value(1000), .bits(10, from: 1), .bits(30, from: 1))
        _ = try bits.number(.value(1), .value(1001), .bits(8, from: 1), .bits(10, from: 1))
        _ = try bits.number(.value(0), .bits(3), .bits(16), .bits(32))
        hasTimecodes = try bits.flag()
    }
}

extension JXLImageHeader.ExtraChannel {
    private static let alpha = 0
    private static let spotColor = 2
    private static let colorFilter = 5
    /// Alpha, depth, spot colour, selection, black, colour filter, thermal and one that may be left out. libjxl refuses
    /// the reserved and unknown ones.
    private static let known: Set = [0, 1, 2, 3, 4, 5, 6, 16]

    fileprivate init(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() {
            shift = 0
            return
        }
        let kind = try bits.choice(of: Self.known, "extra channel")
        try JXLImageHeader.skipDepth(&bits)
        shift = try bits.number(.value(0), .value(3), .value(4), .bits(3, from: 1))
        guard shift <= 3 else { throw .damaged("an extra channel is too small") }
        try bits.skipName()
        switch kind {
        case Self.alpha: try bits.skip(1)
        case Self.spotColor: try bits.skipHalves(4)
        case Self.colorFilter: _ = try bits.number(.value(1), .bits(2), .bits(4, from: 3), .bits(8, from: 19))
        default: break
        }
    }
}
