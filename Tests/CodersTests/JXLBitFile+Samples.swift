/// What stands before the samples of a frame, written so that few bytes ask for much.
extension JXLBitFile {
    /// Codes for whole numbers that are not repeated: each context has one number only, which takes no bits but those
    /// that say how far it is from a power of two.
    mutating func writeNumbers(_ numbers: [Int]) {
        let powers = numbers.map { $0 == 0 ? 0 : Int.bitWidth - $0.leadingZeroBitCount }
        let used = Array(Set(powers)).sorted()
        write(0, 1)
        write(1, 1)
        write(3, 2)
        for power in powers { write(used.firstIndex(of: power) ?? 0, 3) }
        // Prefix codes; a symbol is how many bits a number has.
        write(1, 1)
        for _ in used { write(0, 4) }
        for power in used {
            write(power == 0 ? 0 : 1, 1)
            if power > 0 { writeRest(of: power, 4) }
        }
        for power in used where power > 0 {
            // One symbol.
            write(0b00_01, 4)
            write(power, Int.bitWidth - power.leadingZeroBitCount)
        }
    }

    /// A number by the code of `writeNumbers`.
    mutating func writeNumber(_ number: Int) {
        guard number > 1 else { return }
        let bitCount = Int.bitWidth - 1 - number.leadingZeroBitCount
        write(number - 1 << bitCount, bitCount)
    }

    /// How many bits follow the highest one, and these.
    private mutating func writeRest(of number: Int, _ width: Int) {
        let bitCount = Int.bitWidth - 1 - number.leadingZeroBitCount
        write(bitCount, width)
        write(number - 1 << bitCount, bitCount)
    }

    // MARK: Trees

    /// A tree of 2^(exponent + 1) + 3 nodes in some twenty bytes, whose decisions are all by one property.
    mutating func writeTree(exponent: Int, property: Int) {
        // Symbols from 300 on are repeats; a length is told by its highest bit and those below.
        write(1, 1)
        write(3, 2)
        write(300 - 8, 15)
        write(0, 2)
        write(0, 4)
        // One code for all, a prefix code of four words of two bits.
        write(0b00_1, 3)
        write(1, 1)
        write(15, 4)
        let symbols = [0, 1, property + 1, 301 + exponent]
        write(1, 1)
        writeRest(of: symbols[3], 4)
        write(0b11_01, 4)
        for symbol in symbols { write(symbol, 9) }
        write(0, 1)
        let length = 2 << exponent
        func word(_ index: Int) { write(index >> 1 | (index & 1) << 1, 2) }
        func again(_ count: Int) {
            word(3)
            write(count - 3 - 1 << exponent, exponent)
            // Those two numbers back.
            word(1)
        }
        // Decisions, then leaves of five numbers.
        word(2)
        word(0)
        again(length)
        word(0)
        word(0)
        for count in [length, length, length / 2 + 8] { again(count) }
    }

    // MARK: Modular pictures

    /// What comes before the samples of the frame, or of a square.
    mutating func writeModular(transforms: [(inout JXLBitFile) -> Void] = [], isOfFrame: Bool = true) {
        // Usual quantisation, no tree for all.
        if isOfFrame { write(0b0_1, 2) }
        // A tree of its own, usual weights.
        write(0b1_0, 2)
        switch transforms.count {
        case 0: write(0, 2)
        case 1: write(1, 2)
        case 2..<18: write((transforms.count - 2) << 2 | 2, 6)
        default: write((transforms.count - 18) << 2 | 3, 10)
        }
        for transform in transforms { transform(&self) }
    }

    /// Makes the first channel one of places in 137,727 colours.
    mutating func writePalette() {
        write(1, 2)
        write(0, 5)
        write(0, 2)
        for _ in 0..<2 { write(65_535 << 2 | 3, 18) }
        write(0, 4)
    }

    /// Halves channels, 19 in one step where there are so many.
    mutating func writeSqueeze(stepCount: Int) {
        write(2, 2)
        write((stepCount - 41) << 2 | 3, 10)
        for index in 0..<stepCount {
            // The other halves go behind all.
            write(index & 1, 2)
            // Three become 21 first; then others are taken, for none may be halved without end.
            writeChannel(index < 6 ? 0 : (index - 6) / 2 * 19)
            write(index < 6 ? 2 : 15 << 2 | 3, index < 6 ? 2 : 6)
        }
    }

    private mutating func writeChannel(_ index: Int) {
        switch index {
        case ..<8: write(index << 2, 5)
        case ..<72: write((index - 8) << 2 | 1, 8)
        case ..<1096: write((index - 72) << 2 | 2, 12)
        default: write((index - 1096) << 2 | 3, 15)
        }
    }

    /// Halves all channels in the usual way.
    mutating func writeUsualSqueeze() {
        write(2, 2)
        write(0, 2)
    }

    // MARK: What is laid over a frame

    /// The same square part of a frame, so often, at the origin; nothing is done with it.
    mutating func writePatches(ofFrame frame: Int, side: Int, count: Int) {
        writeNumbers([1, frame, side - 1, 0, 0, 0, 0, count - 1, 0, 0])
        for number in [1, frame, side - 1, side - 1, count - 1] { writeNumber(number) }
    }

    /// One curve whose points are ever farther from each other; it has no width.
    mutating func writeCurve(pointCount: Int) {
        writeNumbers([0, 0, 0, pointCount, 16, 0])
        writeNumber(pointCount)
        for _ in 0..<2 * pointCount { writeNumber(16) }
    }
}
