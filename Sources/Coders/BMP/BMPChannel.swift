/// One sample of a pixel, found by its mask.
struct BMPChannel: Sendable {
    private let mask: UInt32
    private let shift: UInt32
    private let maximum: UInt32
    /// What a pixel without the sample has.
    private let missing: UInt8
    /// What each value is in 8 bits, rounded to nearest; empty for samples of many bits, which are reckoned.
    private let levels: [UInt8]

    /// The widest sample with a table.
    private static let widestTable = UInt32(1 << 10) - 1

    init(mask: UInt32, missing: UInt8) {
        self.mask = mask
        self.missing = missing
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        let maximum = mask >> shift
        self.maximum = maximum
        levels = maximum <= Self.widestTable ? (0...maximum).map { Self.level($0, of: maximum) } : []
    }

    func level(_ pixel: UInt32) -> UInt8 {
        guard mask != 0 else { return missing }
        let value = (pixel & mask) >> shift
        return levels.isEmpty ? Self.level(value, of: maximum) : levels[Int(value)]
    }

    private static func level(_ value: UInt32, of maximum: UInt32) -> UInt8 {
        guard maximum > 0 else { return 0 }
        return UInt8((UInt64(value) * 255 + UInt64(maximum) / 2) / UInt64(maximum))
    }
}
