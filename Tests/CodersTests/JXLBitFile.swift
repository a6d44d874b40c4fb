import Foundation

/// A JPEG XL codestream written bit by bit: black frames of any size and kind, in a few bytes each.
struct JXLBitFile {
    /// What stands in the header of a frame, and its samples, which are zeros.
    struct Frame {
        enum Kind: Int {
            case regular, lowFrequency, referenceOnly
        }

        var kind = Kind.regular
        /// `nil`: that of the picture, or of its eighth.
        var size: (width: Int, height: Int)?
        var duration = 0
        var isLast = false
        var reference = 0
        /// What is laid over it: 2 for patches, 16 for curves.
        var features = 0
        var passCount = 1
        /// Groups are squares of 128 times two to the power of this.
        var groupShift = 3
        /// How large its sections are said to be; `nil`: they are there.
        var sectionSizes: [Int]?
        /// What stands in its sections; without any it has one, of samples that are zeros.
        var sections: [(inout JXLBitFile) -> Void] = [{ $0.writeSamples() }]
        /// Whether the table of contents has an order of its own, which is the usual one.
        var hasOrder = false
    }

    private let isAnimated: Bool
    private let extraChannelCount: Int
    private var bits: [Bool] = []

    var data: Data {
        Data(
            stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<min(start + 8, bits.count)].enumerated().reduce(0) {
                    $0 | ($1.element ? 1 << $1.offset : 0)
                }
            })
    }

    /// - Parameter profile: Written behind the header where there is to be a colour profile.
    init(
        width: Int, height: Int, isAnimated: Bool = false, extraChannelCount: Int = 0,
        profile: ((inout JXLBitFile) -> Void)? = nil
    ) {
        self.isAnimated = isAnimated
        self.extraChannelCount = extraChannelCount
        write(0x0AFF, 16)
        write(0, 1)
        writeSide(height)
        write(0, 3)
        writeSide(width)
        // Not all default; an animation of 100 ticks a second, forever, or nothing more.
        write(0, 1)
        write(isAnimated ? 1 : 0, 1)
        if isAnimated { write(0b1_0_0_000, 6) }
        if isAnimated { write(0, 7) }
        // Eight bits a sample, 16 bits are enough.
        write(0b1_00_0, 4)
        write(3, 2)
        write(max(0, extraChannelCount - 1), 12)
        if extraChannelCount == 0 {
            bits.removeLast(14)
            write(0, 2)
        }
        for _ in 0..<extraChannelCount { write(1, 1) }
        // XYB; colours as usual or by a profile.
        write(1, 1)
        if profile == nil { write(1, 1) } else { write(0b00_1_0, 4) }
        if isAnimated { write(1, 1) }
        write(0, 2)
        write(1, 1)
        profile?(&self)
        align()
    }

    // MARK: Bits

    mutating func write(_ value: Int, _ count: Int) {
        for bit in 0..<count { bits.append(value >> bit & 1 == 1) }
    }

    mutating func align() {
        while bits.count % 8 != 0 { bits.append(false) }
    }

    private mutating func writeSide(_ side: Int) {
        write(3, 2)
        write(side - 1, 30)
    }

    /// A code of which every number is zero and takes no bits.
    mutating func writeZeros(contextCount: Int) {
        write(0, 1)
        if contextCount > 1 { write(0b00_1, 3) }
        // Prefix codes, numbers as they are, one symbol.
        write(0b0_1111_1, 6)
    }

    // MARK: Frames

    mutating func add(_ frame: Frame) {
        // Not all default; modular, flags, not made smaller.
        write(0, 1)
        write(frame.kind.rawValue, 2)
        write(1, 1)
        write(frame.features == 0 ? 0 : (frame.features - 1) << 2 | 1, frame.features == 0 ? 2 : 6)
        write(0, 2)
        write(0, 2 * extraChannelCount)
        write(frame.groupShift, 2)
        if frame.kind != .referenceOnly { writePasses(frame.passCount) }
        writePlace(frame)
        if frame.kind == .regular { writeUse(frame) }
        if frame.kind != .lowFrequency, !frame.isLast { write(frame.reference, 2) }
        if frame.kind == .referenceOnly || isKept(frame) { write(1, 1) }
        // No name, filters as usual, no extensions.
        write(0b00_1_00, 5)
        writeContents(frame)
    }

    private func isKept(_ frame: Frame) -> Bool {
        frame.kind == .regular && !frame.isLast && (frame.duration == 0 || frame.reference != 0)
    }

    private mutating func writePasses(_ count: Int) {
        guard count > 1 else { return write(0, 2) }
        write(3, 2)
        write(count - 4, 3)
        write(0, 2 + 2 * (count - 1))
    }

    private mutating func writePlace(_ frame: Frame) {
        guard frame.kind != .lowFrequency else { return write(0, 2) }
        write(frame.size == nil ? 0 : 1, 1)
        guard let size = frame.size else { return }
        if frame.kind == .regular { write(0, 20) }
        for side in [size.width, size.height] {
            if side < 256 {
                write(side << 2, 10)
            } else if side < 18_688 {
                write(side < 2304 ? 1 : 2, 2)
                write(side < 2304 ? side - 256 : side - 2304, side < 2304 ? 11 : 14)
            } else {
                write(3, 2)
                write(side - 18_688, 30)
            }
        }
    }

    private mutating func writeUse(_ frame: Frame) {
        // Replaces what is there; all frames of a size cover the picture.
        write(0, 2 * (1 + extraChannelCount))
        if isAnimated { write(frame.duration << 2 | 2, 10) }
        write(frame.isLast ? 1 : 0, 1)
    }

    private mutating func writeContents(_ frame: Frame) {
        write(frame.hasOrder ? 1 : 0, 1)
        if frame.hasOrder { writeZeros(contextCount: 8) }
        align()
        let sections = frame.sections.map { write in
            var section = JXLBitFile()
            write(&section)
            section.align()
            return section.bits
        }
        for size in frame.sectionSizes ?? sections.map({ $0.count / 8 }) { writeSize(size) }
        align()
        if frame.sectionSizes == nil { bits += sections.joined() }
    }

    private mutating func writeSize(_ size: Int) {
        write(size < 1024 ? size << 2 : (size - 1024) << 2 | 1, size < 1024 ? 12 : 16)
    }

    private init() {
        isAnimated = false
        extraChannelCount = 0
    }

    /// Samples of one group, all zeros.
    mutating func writeSamples() {
        // Usual quantisation, no tree for all; a tree for this group, usual weights, no transforms.
        write(0b00_1_0_0_1, 6)
        writeZeros(contextCount: 6)
        writeZeros(contextCount: 1)
    }
}
