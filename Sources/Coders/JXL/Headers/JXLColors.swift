/// What a codestream says about its colours.
struct JXLColors {
    /// Whether they are shades of grey.
    private(set) var isGray = false
    /// Whether an ICC profile follows the header.
    private(set) var hasProfile = false

    private static let gray = 1
    private static let xyb = 2
    private static let unknown = 3
    private static let custom = 2

    /// RGB as usual.
    init() {}

    init(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() { return }
        hasProfile = try bits.flag()
        let space = try bits.choice(of: [0, Self.gray, Self.xyb, Self.unknown], "colour space")
        isGray = space == Self.gray
        if !hasProfile { try Self.skipEncoding(&bits, of: space) }
    }

    private static func skipEncoding(_ bits: inout JXLBits, of space: Int) throws(JXLFault) {
        if space != xyb {
            let white = try bits.choice(of: [1, custom, 10, 11], "white point")
            if white == custom { try skipPoint(&bits) }
        }
        if space != xyb, space != gray {
            let primaries = try bits.choice(of: [1, custom, 9, 11], "set of primaries")
            if primaries == custom { for _ in 0..<3 { try skipPoint(&bits) } }
        }
        if space != xyb { try skipTransfer(&bits) }
        _ = try bits.choice(of: [0, 1, 2, 3], "rendering intent")
        guard space != unknown else { throw .damaged("its colour space is unknown") }
    }

    private static func skipPoint(_ bits: inout JXLBits) throws(JXLFault) {
        for _ in 0..<2 {
            _ = try bits.number(
                .bits(19), .bits(19, from: 1 << 19), .bits(20, from: 1 << 20), .bits(21, from: 1 << 21))
        }
    }

    private static func skipTransfer(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() {
            // The exponent, in ten-millionths; libjxl takes none below 1/8192.
            let gamma = try bits.read(24)
            guard gamma <= 10_000_000, gamma * 8192 >= 10_000_000 else { throw .damaged("its gamma makes no sense") }
        } else {
            _ = try bits.choice(of: [1, 8, 13, 16, 17, 18], "transfer function")
        }
    }

    static func skipToneMapping(_ bits: inout JXLBits) throws(JXLFault) {
        if try bits.flag() { return }
        // The brightest and the darkest light.
        try bits.skipHalves(2)
        // Whether what follows is relative, and below which light nothing is changed.
        try bits.skip(1)
        try bits.skipHalves(1)
    }
}

/// Passes over the numbers by which colours are made of XYB, and pictures enlarged.
enum JXLTransforms {
    static func skip(_ bits: inout JXLBits, isXYB: Bool) throws(JXLFault) {
        if try bits.flag() { return }
        if isXYB, try !bits.flag() { try bits.skipHalves(9 + 3 + 4) }
        let enlarged = try bits.read(3)
        // The weights for twice, four times and eight times the size.
        for (index, count) in [15, 55, 210].enumerated() where enlarged >> index & 1 == 1 {
            try bits.skipHalves(count)
        }
    }
}
