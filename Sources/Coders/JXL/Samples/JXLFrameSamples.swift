import WebImagePixels

/// What stands before the samples in the sections of a frame (ISO/IEC 18181-1, annex G), and what libjxl will allocate
/// by it.
///
/// In a frame of whole samples each section begins with such a header. In one of coefficients only the first does; of
/// the others nobody can say where theirs stand without decoding what is before.
struct JXLFrameSamples {
    private let header: JXLFrameHeader
    private let image: JXLImageHeader
    private var allowance: JXLAllowance
    /// Those of the whole frame, after its transforms; none before the first section was read.
    private var channels = JXLChannels()

    init(_ header: JXLFrameHeader, _ image: JXLImageHeader) {
        self.header = header
        self.image = image
        let channelCount = 3 + image.extraChannels.count
        allowance = JXLAllowance(
            sampleCount: header.size.width.clampedProduct(header.size.height).clampedProduct(channelCount))
    }

    /// Reads a section, the first one before all others.
    ///
    /// - Parameter bits: Of this section only.
    mutating func readSection(_ index: Int, _ bits: inout JXLBits) throws(JXLFault) {
        guard index > 0 else { return try readFirst(&bits) }
        let lowFrequencyEnd = 1 + header.lowFrequencyGroupCount
        guard header.isModular, index != lowFrequencyEnd else { return }
        if index < lowFrequencyEnd {
            let columnCount = header.lowFrequencyColumnCount
            try readSquare(index - 1, columnCount: columnCount, side: 8 * header.groupSide, shifts: 3...1000, &bits)
        } else {
            let (pass, group) = (index - lowFrequencyEnd - 1).quotientAndRemainder(dividingBy: header.groupCount)
            guard let shifts = header.shifts(ofPass: pass) else { return }
            try readSquare(
                group, columnCount: header.groupColumnCount, side: header.groupSide, shifts: shifts, &bits)
        }
    }

    private func readSquare(
        _ index: Int, columnCount: Int, side: Int, shifts: ClosedRange<Int>, _ bits: inout JXLBits
    ) throws(JXLFault) {
        let part = channels.part(
            x: index % columnCount * side, y: index / columnCount * side, side: side,
            largerThan: header.groupSide, shifts: shifts)
        guard !part.all.isEmpty else { return }
        let modular = try JXLModularHeader(&bits)
        let stored = try modular.transformed(part)
        var allowance = allowance
        try take(stored, &allowance)
        try readOwnTree(modular, stored.all[...], &bits, &allowance)
    }

    // MARK: The first section

    private mutating func readFirst(_ bits: inout JXLBits) throws(JXLFault) {
        if header.features.contains(.patches) {
            try JXLPatches.skip(
                &bits, over: header.size, extraChannelCount: image.extraChannels.count, &allowance)
        }
        if header.features.contains(.splines) { try JXLSplines.skip(&bits, over: header.size) }
        if header.features.contains(.noise) { try bits.skip(8 * 10) }
        try JXLQuantization.skip(&bits, isModular: header.isModular)
        var tree: JXLDecisionTree?
        if try bits.flag() {
            let read = try JXLDecisionTree(&bits, limit: 1024 + min(1 << 22, sampleCount / 16), &allowance)
            _ = try JXLEntropyCode(&bits, contextCount: read.leafCount)
            tree = read
        }
        channels = firstChannels
        guard !channels.all.isEmpty else { return }
        let modular = try JXLModularHeader(&bits)
        channels = try modular.transformed(channels)
        try take(channels, &allowance)
        let width = channels.all.map(\.width).max() ?? 0
        try allowance.take(tree?.byteCount(ofChannelOfWidth: width) ?? 0, for: "a decision tree")
        var allowance = allowance
        try readOwnTree(modular, channels.leading(upTo: header.groupSide), &bits, &allowance)
    }

    private var isSingleColor: Bool { image.isGray && header.colors == .original }

    private var sampleCount: Int {
        let size = header.storedSize
        return size.width.clampedProduct(size.height)
            .clampedProduct((isSingleColor ? 1 : 3) + image.extraChannels.count)
    }

    /// What is stored as whole samples, before any transform.
    private var firstChannels: JXLChannels {
        var channels = JXLChannels()
        let stored = header.storedSize
        for index in 0..<(!header.isModular ? 0 : isSingleColor ? 1 : 3) {
            let shift = header.chromaShift(ofChannel: index)
            channels.all.append(
                .init(
                    width: stored.width.divided(by: 1 << shift.horizontal),
                    height: stored.height.divided(by: 1 << shift.vertical),
                    horizontalShift: shift.horizontal, verticalShift: shift.vertical))
        }
        for upsampling in header.extraUpsampling {
            let shift = upsampling.trailingZeroBitCount - header.upsampling.trailingZeroBitCount
            channels.all.append(
                .init(
                    width: header.size.width.divided(by: upsampling),
                    height: header.size.height.divided(by: upsampling),
                    horizontalShift: shift, verticalShift: shift))
        }
        return channels
    }

    // MARK: What it costs

    /// The bookkeeping of channels, and palettes.
    private func take(_ channels: JXLChannels, _ allowance: inout JXLAllowance) throws(JXLFault) {
        let palettes = channels.all.prefix(channels.paletteCount).reduce(0) { $0 + $1.width * $1.height * 4 }
        try allowance.take(channels.all.count * 2048 + palettes, for: "channels")
    }

    private func readOwnTree(
        _ modular: JXLModularHeader, _ channels: ArraySlice<JXLChannels.Channel>, _ bits: inout JXLBits,
        _ allowance: inout JXLAllowance
    ) throws(JXLFault) {
        guard !modular.usesTreeOfFrame, channels.contains(where: { !$0.isEmpty }) else { return }
        let sampleCount = channels.reduce(0) { $0 + $1.width * $1.height }
        let tree = try JXLDecisionTree(&bits, limit: min(1 << 20, 1024 + sampleCount), &allowance)
        let width = channels.map(\.width).max() ?? 0
        try allowance.take(tree.byteCount(ofChannelOfWidth: width), for: "a decision tree")
    }
}
