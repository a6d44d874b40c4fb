/// Turns the LZW codes of one frame into rows of palette indices (GIF89a, appendix F).
///
/// Of its own, for giflib cannot stop in the middle of a row and go on when more bytes have come.
@safe final class GIFCodeReader {
    /// What came of some codes.
    enum Outcome {
        case fine
        /// A code that has no meaning yet, or an end before the last pixel.
        case wrongCode
    }

    /// Each code's last index, the code of what comes before it, and its length: see `entry`.
    private let table: UnsafeMutablePointer<UInt32>
    /// The indices of the row that is not complete, and what one code can add to it.
    private let line: UnsafeMutablePointer<UInt8>
    private let width: Int
    private let rowCount: Int
    private let clearCode: Int
    private let firstCodeWidth: Int

    private var bits: UInt32 = 0
    private var bitCount = 0
    private var codeWidth: Int
    /// How many codes the table has; those to clear and to end count.
    private var codeCount: Int
    private var previous: Int?
    private var column = 0
    /// How many rows have been given.
    private(set) var row = 0

    private static let maxCodeCount = 4096

    /// - Parameters:
    ///   - codeSize: As the frame stores it.
    ///   - width: Of a row, at least 1.
    /// - Returns: `nil` for a code size that no frame can have.
    init?(codeSize: Int, width: Int, rowCount: Int) {
        guard 1...11 ~= codeSize else { return nil }
        self.width = width
        self.rowCount = rowCount
        clearCode = 1 << codeSize
        firstCodeWidth = codeSize + 1
        codeWidth = codeSize + 1
        codeCount = clearCode + 2
        unsafe table = .allocate(capacity: Self.maxCodeCount)
        unsafe table.initialize(repeating: 0, count: Self.maxCodeCount)
        unsafe line = .allocate(capacity: width + Self.maxCodeCount)
        unsafe line.initialize(repeating: 0, count: width + Self.maxCodeCount)
        for index in 0..<clearCode { unsafe table[index] = Self.entry(prefix: 0, index: UInt8(index & 255), length: 1) }
    }

    deinit {
        unsafe table.deallocate()
        unsafe line.deallocate()
    }

    /// Whether all rows have been given; what comes after is ignored.
    var isComplete: Bool { row == rowCount }

    /// Takes the bytes of the next block and gives the rows that they complete.
    func read<Failure: Error>(
        _ block: UnsafeRawBufferPointer, _ takeRow: (Int, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> Outcome {
        for index in 0..<block.count {
            unsafe bits |= UInt32(block[index]) << UInt32(bitCount)
            bitCount += 8
            while bitCount >= codeWidth {
                guard !isComplete else { return .fine }
                let code = Int(bits & (1 << UInt32(codeWidth) - 1))
                bits >>= UInt32(codeWidth)
                bitCount -= codeWidth
                guard take(code) else { return .wrongCode }
                if column >= width { try unsafe giveRows(takeRow) }
            }
        }
        return .fine
    }

    /// Adds what a code stands for to the line; `false` for a code that stands for nothing.
    private func take(_ code: Int) -> Bool {
        if code == clearCode {
            codeWidth = firstCodeWidth
            codeCount = clearCode + 2
            previous = nil
            return true
        }
        guard code != clearCode + 1 else { return false }
        guard let previous else {
            guard code < clearCode else { return false }
            self.previous = code
            write(code)
            widen()
            return true
        }
        // One code may be used before it is complete: it is the previous one, and that one's first index again.
        guard code <= codeCount else { return false }
        let isNew = codeCount < Self.maxCodeCount
        if isNew { unsafe table[codeCount] = Self.entry(prefix: previous, index: 0, length: length(of: previous) + 1) }
        let start = column
        write(code)
        if isNew { addCode(firstIndex: unsafe line[start], isUsed: code == codeCount) }
        self.previous = code
        return true
    }

    private func addCode(firstIndex: UInt8, isUsed: Bool) {
        unsafe table[codeCount] |= UInt32(firstIndex)
        if isUsed { unsafe line[column - 1] = firstIndex }
        codeCount += 1
        widen()
    }

    /// Makes room for the next code; with a code size of 1 there is none from the first pixel on.
    private func widen() {
        if codeCount == 1 << codeWidth, codeWidth < 12 { codeWidth += 1 }
    }

    /// Writes what a code stands for, from its end to its start.
    private func write(_ code: Int) {
        let start = column
        column += length(of: code)
        var entry = unsafe table[code]
        var place = column - 1
        while place > start {
            unsafe line[place] = UInt8(truncatingIfNeeded: entry)
            unsafe entry = table[Int(entry >> 8 & 0xFFF)]
            place -= 1
        }
        unsafe line[start] = UInt8(truncatingIfNeeded: entry)
    }

    private func giveRows<Failure: Error>(
        _ takeRow: (Int, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        while column - start >= width, row < rowCount {
            try unsafe takeRow(row, UnsafeRawBufferPointer(start: line + start, count: width))
            row += 1
            start += width
        }
        guard row < rowCount else { return }
        column -= start
        unsafe line.update(from: line + start, count: column)
    }

    // MARK: Table

    /// 8 bits of index, 12 of the code before it, 12 of the length less 1.
    private static func entry(prefix: Int, index: UInt8, length: Int) -> UInt32 {
        UInt32(index) | UInt32(prefix) << 8 | UInt32(length - 1) << 20
    }

    private func length(of code: Int) -> Int {
        unsafe Int(table[code] >> 20) + 1
    }
}
