import WebImagePixels

extension JXLFrameHeader {
    /// Reads the header of the next frame; its table of contents follows.
    ///
    /// - Parameter canvas: The size of the picture, or of the preview where that is what comes.
    init(_ bits: inout JXLBits, _ image: JXLImageHeader, canvas: PixelSize) throws(JXLFault) {
        size = canvas
        colors = image.isXYB ? .xyb : .original
        extraUpsampling = image.extraChannels.map { 1 << $0.shift }
        if try bits.flag() { return }
        kind = Kind(rawValue: try bits.read(2)) ?? .regular
        isModular = try bits.flag()
        let flags = try bits.long()
        features = Features(rawValue: flags)
        if !image.isXYB, try bits.flag() { colors = .luma }
        let usesLowFrequency = flags & 32 != 0
        if colors == .luma, !usesLowFrequency { for index in 0..<3 { sampling[index] = try bits.read(2) } }
        if !usesLowFrequency { try readUpsampling(&bits, image) }
        if isModular {
            groupShift = try bits.read(2)
        } else if image.isXYB {
            // How finely two of the channels are quantised.
            try bits.skip(6)
        }
        if kind != .referenceOnly { try readPasses(&bits) }
        let isPartial = try readPlace(&bits, canvas: canvas)
        let replaces = try readUse(&bits, image, isPartial: isPartial)
        try readReference(&bits, canvas: canvas, mayKeepEarly: replaces && !isPartial)
        try bits.skipName()
        try JXLFilters.skip(&bits, isModular: isModular)
        try bits.skipExtensions()
    }

    private var isLaid: Bool { kind == .regular || kind == .skipProgressive }

    // MARK: How it is stored

    private mutating func readUpsampling(_ bits: inout JXLBits, _ image: JXLImageHeader) throws(JXLFault) {
        upsampling = try Self.upsampling(&bits)
        for (index, channel) in image.extraChannels.enumerated() {
            extraUpsampling[index] = try Self.upsampling(&bits) << channel.shift
            guard upsampling...8 ~= extraUpsampling[index] else {
                throw .damaged("an extra channel is of no size that may be")
            }
        }
    }

    private static func upsampling(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        1 << (try bits.read(2))
    }

    private mutating func readPasses(_ bits: inout JXLBits) throws(JXLFault) {
        passCount = try bits.number(.value(1), .value(2), .value(3), .bits(3, from: 4))
        guard passCount > 1 else { return }
        let count = try bits.number(.value(0), .value(1), .value(2), .bits(1, from: 3))
        guard count <= passCount else { throw .damaged("there are more steps than passes") }
        try bits.skip(2 * (passCount - 1))
        for _ in 0..<count {
            let next = 1 << (try bits.read(2))
            guard next < steps.last?.factor ?? .max else { throw .damaged("passes do not come nearer") }
            steps.append((0, next))
        }
        var last = -1
        for index in 0..<count {
            let next = try bits.number(.value(0), .value(1), .value(2), .bits(3))
            guard last < next, next < passCount else { throw .damaged("passes are in no order") }
            steps[index].pass = next
            last = next
        }
    }

    // MARK: Where it lies

    /// - Returns: Whether it leaves some of the canvas free.
    private mutating func readPlace(_ bits: inout JXLBits, canvas: PixelSize) throws(JXLFault) -> Bool {
        guard kind != .lowFrequency else {
            level = try bits.read(2) + 1
            let factor = 1 << (3 * level)
            size = PixelSize((canvas.width - 1) / factor + 1, (canvas.height - 1) / factor + 1)
            return false
        }
        guard try bits.flag() else { return false }
        var (x, y) = (0, 0)
        if isLaid {
            x = try Self.length(&bits).signed
            y = try Self.length(&bits).signed
        }
        size = PixelSize(try Self.length(&bits), try Self.length(&bits))
        guard !size.isEmpty else { throw .damaged("it has no pixels") }
        return isLaid && (x > 0 || y > 0 || size.width + x < canvas.width || size.height + y < canvas.height)
    }

    private static func length(_ bits: inout JXLBits) throws(JXLFault) -> Int {
        try bits.number(.bits(8), .bits(11, from: 256), .bits(14, from: 2304), .bits(30, from: 18_688))
    }

    // MARK: What becomes of it

    /// - Returns: Whether it replaces the colours under it.
    private mutating func readUse(
        _ bits: inout JXLBits, _ image: JXLImageHeader, isPartial: Bool
    ) throws(JXLFault) -> Bool {
        guard isLaid else {
            isLast = false
            return true
        }
        let count = image.extraChannels.count
        let replaces = try Self.skipBlending(&bits, count, isPartial: isPartial)
        for _ in 0..<count { _ = try Self.skipBlending(&bits, count, isPartial: isPartial) }
        if let animation = image.animation {
            duration = try bits.number(.value(0), .value(1), .bits(8), .bits(32))
            if animation.hasTimecodes { try bits.skip(32) }
        }
        isLast = try bits.flag()
        // libjxl 0.7 takes it for one that more frames follow, the specification does not.
        guard kind == .regular || !isLast else { throw .damaged("the last frame is of a kind that cannot be last") }
        return replaces
    }

    private static func skipBlending(
        _ bits: inout JXLBits, _ extraChannelCount: Int, isPartial: Bool
    ) throws(JXLFault) -> Bool {
        let (replaces, blends, addsWeighted, multiplies) = (0, 2, 3, 4)
        let mode = try bits.number(.value(0), .value(1), .value(2), .bits(2, from: 3))
        guard mode <= multiplies else { throw .damaged("there is no blending \(mode)") }
        let usesAlpha = extraChannelCount > 0 && (mode == blends || mode == addsWeighted)
        if usesAlpha {
            let channel = try bits.number(.value(0), .value(1), .value(2), .bits(3, from: 3))
            guard channel < extraChannelCount else { throw .damaged("it blends by a channel that is not there") }
        }
        // Whether alpha is kept between none and full.
        if usesAlpha || mode == multiplies { try bits.skip(1) }
        // What it is laid on.
        if mode != replaces || isPartial { try bits.skip(2) }
        return mode == replaces
    }

    private mutating func readReference(
        _ bits: inout JXLBits, canvas: PixelSize, mayKeepEarly: Bool
    ) throws(JXLFault) {
        guard kind != .lowFrequency else { return }
        if !isLast { reference = try bits.read(2) }
        if kind == .referenceOnly {
            let isBeforeColor = try bits.flag()
            guard isBeforeColor || (size.width >= canvas.width && size.height >= canvas.height) else {
                throw .damaged("a frame to be laid under others is too small")
            }
        } else if isKept, mayKeepEarly {
            // Whether it is kept before its colours are turned into those of the picture.
            try bits.skip(1)
        }
    }
}

/// Passes over what is done to samples after they were decoded.
private enum JXLFilters {
    static func skip(_ bits: inout JXLBits, isModular: Bool) throws(JXLFault) {
        if try bits.flag() { return }
        let isSmoothed = try bits.flag()
        if isSmoothed, try bits.flag() { try bits.skipHalves(6) }
        if try bits.read(2) > 0 {
            if !isModular, try bits.flag() { try bits.skipHalves(8) }
            if try bits.flag() { try bits.skipHalves(5) }
            if try bits.flag() { try bits.skipHalves(isModular ? 3 : 4) }
            if isModular { try bits.skipHalves(1) }
        }
        try bits.skipExtensions()
    }
}
