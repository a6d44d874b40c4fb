/// Passes over the colour profile of a codestream, whose length is known to nobody before it has been decoded.
enum JXLProfileReader {
    /// The largest profile that is read, in bytes, whatever the limits say of metadata: without it there is no picture.
    static let maxByteCount = 1 << 24
    /// Numbers before this one are all of one context.
    private static let headerCount = 128
    private static let contextCount = 41

    static func skip(_ bits: inout JXLBits) throws(JXLFault) {
        let start = bits.position
        guard let count = Int(exactly: try bits.long()), count <= maxByteCount else {
            throw .excessive("a colour profile of more than \(maxByteCount) bytes")
        }
        let code = try JXLEntropyCode(&bits, contextCount: contextCount)
        var numbers = try JXLIntegerReader(code, &bits)
        var length = Length()
        var (last, beforeLast): (UInt8, UInt8) = (0, 0)
        for index in 0..<count {
            let context = index <= headerCount ? 0 : context(last, beforeLast)
            let byte = UInt8(truncatingIfNeeded: try numbers.next(inContext: context, &bits))
            (last, beforeLast) = (byte, last)
            try length.take(byte)
            // A few bits may stand for ever more bytes; libjxl gives up here too.
            guard index & 0xFFFF != 0 || index / 256 <= (bits.position - start) / 8 else {
                throw .damaged("a colour profile is packed too well to be one")
            }
        }
        guard length.isKnown else { throw .damaged("a colour profile is empty") }
        try numbers.finish()
    }

    /// The length of the profile, which its packed form begins with: seven bits a byte, the lowest first.
    private struct Length {
        private var value = 0
        private var shift = 0
        private(set) var isKnown = false

        mutating func take(_ byte: UInt8) throws(JXLFault) {
            guard !isKnown else { return }
            value |= Int(byte & 127) << shift
            shift += 7
            isKnown = byte < 128
            guard value <= maxByteCount, shift < 35 || isKnown else {
                throw .excessive("a colour profile of more than \(maxByteCount) bytes")
            }
        }
    }

    private static func context(_ last: UInt8, _ beforeLast: UInt8) -> Int {
        1 + kind(last) + 8 * coarseKind(beforeLast)
    }

    private static func kind(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): 0
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ","): 1
        case 0: 2
        case 1: 3
        case 2..<16: 4
        case 255: 6
        case 241...: 5
        default: 7
        }
    }

    private static func coarseKind(_ byte: UInt8) -> Int {
        switch kind(byte) {
        case 0: 0
        case 1: 1
        case 2, 3, 4: 2
        case 5, 6: 3
        default: 4
        }
    }
}
