/// Packs palette indices into LZW codes, and those into blocks (GIF89a, appendix F).
///
/// When there is no room for more codes it begins anew: what comes later in a picture is rarely like what came first.
struct GIFCodeWriter {
    /// What has been written: blocks, each with its length before it.
    private var bytes: [UInt8] = []
    /// Where the length of the block stands that is being written.
    private var block = 0

    private var bits: UInt32 = 0
    private var bitCount = 0
    private let codeSize: Int
    private var codeWidth: Int
    /// How many codes there are; those to clear and to end count.
    private var codeCount: Int
    /// The code before a new one and the index that makes it longer, in one number, and 1 more; 0 in a free place.
    /// Found by a hash, which skips places that are taken.
    private var strings = [UInt32](repeating: 0, count: GIFCodeWriter.placeCount)
    /// The code of the string in the same place.
    private var codes = [UInt16](repeating: 0, count: GIFCodeWriter.placeCount)

    /// Four times as many as there are codes, so that most are found at once.
    private static let placeCount = 1 << 14
    /// One less than there may be: some readers give up when the last one is made.
    private static let maxCodeCount = 4095

    /// The blocks of a frame, with the empty one that ends them.
    ///
    /// - Parameters:
    ///   - indices: Each below 2 to the power of `codeSize`.
    ///   - codeSize: 2 to 8.
    static func blocks(of indices: [UInt8], codeSize: Int) -> [UInt8] {
        var writer = GIFCodeWriter(codeSize)
        writer.write(indices)
        return writer.bytes
    }

    private init(_ codeSize: Int) {
        self.codeSize = codeSize
        codeWidth = codeSize + 1
        codeCount = 1 << codeSize + 2
    }

    private var clearCode: Int { 1 << codeSize }

    private mutating func write(_ indices: [UInt8]) {
        bytes.reserveCapacity(indices.count / 2)
        bytes.append(0)
        put(clearCode)
        if var string = indices.first.map(Int.init) {
            for index in indices.dropFirst() { string = code(of: string, and: index) }
            put(string)
            widen()
        }
        put(clearCode + 1)
        if bitCount > 0 { append(UInt8(truncatingIfNeeded: bits)) }
        closeBlock()
    }

    /// The code of a string and one index more. Where there is none the string is written, and the index begins the
    /// next one.
    private mutating func code(of string: Int, and index: UInt8) -> Int {
        let key = UInt32(truncatingIfNeeded: string << 8) + UInt32(index) + 1
        var place = Int((key &* 0x9E37_79B1) >> 18)
        while strings[place] != 0 {
            if strings[place] == key { return Int(codes[place]) }
            place = (place + 1) & (Self.placeCount - 1)
        }
        put(string)
        strings[place] = key
        codes[place] = UInt16(truncatingIfNeeded: codeCount)
        widen()
        if codeCount == Self.maxCodeCount { clear() }
        return Int(index)
    }

    /// Counts a code more. A reader makes each with the next code only, and so its codes grow wider one code later.
    private mutating func widen() {
        codeCount += 1
        if codeCount > 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }

    private mutating func clear() {
        put(clearCode)
        codeWidth = codeSize + 1
        codeCount = clearCode + 2
        for place in strings.indices { strings[place] = 0 }
    }

    private mutating func put(_ code: Int) {
        bits |= UInt32(truncatingIfNeeded: code) << UInt32(bitCount)
        bitCount += codeWidth
        while bitCount >= 8 {
            append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    private mutating func append(_ byte: UInt8) {
        if bytes.count - block == 256 { closeBlock() }
        bytes.append(byte)
    }

    /// Begins the next block; the last one stays empty.
    private mutating func closeBlock() {
        bytes[block] = UInt8(bytes.count - block - 1)
        block = bytes.count
        bytes.append(0)
    }
}
