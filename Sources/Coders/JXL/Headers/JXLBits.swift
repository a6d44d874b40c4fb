/// Reads numbers out of a codestream bit by bit, the lowest bit of a byte first, in the forms of ISO/IEC 18181-1.
@safe
struct JXLBits {
    private let bytes: UnsafeRawBufferPointer
    private let count: Int
    /// How many bits have been read, from the first byte on.
    private(set) var position: Int

    /// - Parameters:
    ///   - bytes: As far as they are there; they stay where they are as long as this reader is used.
    ///   - start: The byte to begin at.
    init(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        unsafe self.bytes = bytes
        count = bytes.count
        position = min(start, bytes.count) * 8
    }

    /// The next bits as a number; at most 32 of them.
    mutating func read(_ count: Int) throws(JXLFault) -> Int {
        guard count <= self.count * 8 - position else { throw .cut }
        let value = window & (1 << UInt64(count) - 1)
        position += count
        return Int(value)
    }

    mutating func flag() throws(JXLFault) -> Bool {
        try read(1) == 1
    }

    mutating func skip(_ count: Int) throws(JXLFault) {
        guard count <= self.count * 8 - position else { throw .cut }
        position += count
    }

    /// Goes to the next whole byte; the bits before it are zeros.
    mutating func align() throws(JXLFault) {
        let rest = -position & 7
        guard try read(rest) == 0 else { throw .damaged("bits between two parts are set") }
    }

    /// 32 bits or more from the position on, with zeros behind the end.
    private var window: UInt64 {
        let start = position >> 3
        if start <= count - 8 {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            return UInt64(littleEndian: word) >> UInt64(position & 7)
        }
        var word: UInt64 = 0
        for index in start..<max(start, count) {
            word |= UInt64(unsafe bytes[index]) << UInt64((index - start) * 8)
        }
        return word >> UInt64(position & 7)
    }
}

extension JXLBits {
    /// One of the four ways in which a number may be written.
    enum Form {
        case value(Int)
        /// So many bits, and what is added to them.
        case bits(Int, from: Int = 0)
    }

    /// A number whose first two bits say which form follows: U32() of the specification.
    mutating func number(_ first: Form, _ second: Form, _ third: Form, _ fourth: Form) throws(JXLFault) -> Int {
        let form =
            switch try read(2) {
            case 0: first
            case 1: second
            case 2: third
            default: fourth
            }
        switch form {
        case .value(let value): return value
        case .bits(let count, let offset): return try read(count) + offset
        }
    }

    /// One of the values that an enumeration of the specification has: Enum().
    mutating func choice(of values: Set<Int>, _ name: String) throws(JXLFault) -> Int {
        let value = try number(.value(0), .value(1), .bits(4, from: 2), .bits(6, from: 18))
        guard values.contains(value) else { throw .damaged("there is no \(name) \(value)") }
        return value
    }

    /// U64() of the specification.
    mutating func long() throws(JXLFault) -> UInt64 {
        switch try read(2) {
        case 0: return 0
        case 1: return UInt64(try read(4) + 1)
        case 2: return UInt64(try read(8) + 17)
        default: break
        }
        var value = UInt64(try read(12))
        var shift: UInt64 = 12
        while try flag() {
            guard shift < 60 else { return value | UInt64(try read(4)) << shift }
            value |= UInt64(try read(8)) << shift
            shift += 8
        }
        return value
    }

    /// Passes over floating-point numbers of 16 bits, which may be neither infinite nor none: F16().
    mutating func skipHalves(_ count: Int) throws(JXLFault) {
        for _ in 0..<count {
            guard try read(16) >> 10 & 31 != 31 else { throw .damaged("a number is infinite") }
        }
    }

    /// Passes over a name.
    mutating func skipName() throws(JXLFault) {
        let count = try number(.value(0), .bits(4), .bits(5, from: 16), .bits(10, from: 48))
        try skip(count * 8)
    }

    /// Passes over what later versions of the format may have added.
    mutating func skipExtensions() throws(JXLFault) {
        let present = try long()
        var total: UInt64 = 0
        for _ in 0..<present.nonzeroBitCount {
            let (sum, overflow) = total.addingReportingOverflow(try long())
            guard !overflow, sum <= UInt64(Int32.max) else { throw .damaged("an extension is too long") }
            total = sum
        }
        try skip(Int(total))
    }
}
