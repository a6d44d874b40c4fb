/// Turns the LZW codes of one frame into rows of palette indices (GIF89a, appendix F).
///
/// May stop after any byte and go on when more have come.
@safe final class GIFCodeReader {
    /// What came of some codes.
    enum Outcome {
        case fine
        /// A code that has no meaning yet, or an end before the last pixel.
        case wrongCode
    }

    /// Why codes are not read on.
    private enum Stop {
        case bytesAreUsed
        case bufferIsFull
        case code(Int)
    }

    /// What changes with every code.
    private struct State {
        var bits: UInt64 = 0
        var bitCount = 0
        var codeWidth: Int
        /// How many codes there are; those to clear and to end count.
        var codeCount: Int
        /// What the code before stands for. Of the first code after one to clear, which makes no code with the one
        /// before it, the code to end is made, and of no length, which it has anyway.
        var previousLength = -1
        /// Where the next indices go.
        var end: Int

        @inline(__always) mutating func dropCode() {
            bits &>>= UInt64(truncatingIfNeeded: codeWidth)
            bitCount &-= codeWidth
        }

        /// Makes a code of the one before and the first index of the next.
        @inline(__always) mutating func addCode(
            _ places: UnsafeMutablePointer<UInt32>, _ lengths: UnsafeMutablePointer<UInt16>
        ) {
            unsafe places[codeCount] = UInt32(truncatingIfNeeded: end &- previousLength)
            unsafe lengths[codeCount] = UInt16(truncatingIfNeeded: previousLength &+ 1)
            codeCount &+= 1
            if codeCount == 1 &<< codeWidth, codeWidth < 12 { codeWidth &+= 1 }
        }
    }

    private let table: GIFCodeTable
    private let width: Int
    private let rowCount: Int
    private let clearCode: Int
    private let firstCodeWidth: Int
    private var state: State
    /// How many rows have been given.
    private(set) var row = 0

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
        table = GIFCodeTable(clearCode: clearCode, indexCount: width * rowCount)
        state = State(codeWidth: codeSize + 1, codeCount: clearCode + 1, end: table.start)
    }

    /// Whether all rows have been given; what comes after is ignored.
    var isComplete: Bool { row == rowCount }

    /// Takes the bytes of the next block and gives the rows that they complete.
    func read<Failure: Error>(
        _ block: UnsafeRawBufferPointer, _ takeRow: (Int, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> Outcome {
        var offset = 0
        while !isComplete {
            let stop = unsafe follow(block, &offset)
            while row < rowCount, state.end - table.start >= width {
                try unsafe takeRow(row, table.take(width))
                row += 1
            }
            guard !isComplete else { break }
            switch stop {
            case .bytesAreUsed: return .fine
            case .bufferIsFull: makeRoom()
            case .code(clearCode): clear()
            case .code(let code): guard follow(unfinished: code) else { return .wrongCode }
            }
        }
        return .fine
    }

    /// Follows codes as long as there are any that stand for something.
    private func follow(_ block: UnsafeRawBufferPointer, _ offset: inout Int) -> Stop {
        var state = state
        defer { self.state = state }
        let (places, lengths, indices) = unsafe (table.places, table.lengths, UnsafeMutableRawPointer(table.indices))
        let end = min(table.end, table.start + (rowCount - row) * width)
        while true {
            unsafe Self.refill(&state, block, &offset)
            guard state.bitCount >= state.codeWidth else { return .bytesAreUsed }
            repeat {
                guard state.end < end else { return .bufferIsFull }
                let code = Int(truncatingIfNeeded: state.bits) & (1 &<< state.codeWidth &- 1)
                let length = unsafe Int(lengths[code])
                guard code < state.codeCount, length > 0 else { return .code(code) }
                state.dropCode()
                if state.codeCount < GIFCodeTable.maxCodeCount { unsafe state.addCode(places, lengths) }
                unsafe Self.copy(length, from: indices + Int(places[code]), to: indices + state.end)
                state.previousLength = length
                state.end &+= length
            } while state.bitCount >= state.codeWidth
        }
    }

    /// Follows the one code that may be used before it is complete: the code before, and that one's first index again.
    ///
    /// - Returns: `false` for a code that stands for nothing.
    private func follow(unfinished code: Int) -> Bool {
        guard code == state.codeCount, state.previousLength > 0 else { return false }
        state.dropCode()
        unsafe state.addCode(table.places, table.lengths)
        let indices = unsafe UnsafeMutableRawPointer(table.indices)
        let first = unsafe indices + (state.end - state.previousLength)
        unsafe Self.copy(state.previousLength, from: first, to: indices + state.end)
        state.end += state.previousLength
        unsafe indices.storeBytes(of: first.load(as: UInt8.self), toByteOffset: state.end, as: UInt8.self)
        state.end += 1
        state.previousLength += 1
        return true
    }

    private func clear() {
        state.dropCode()
        state.codeWidth = firstCodeWidth
        state.codeCount = clearCode + 1
        state.previousLength = -1
        state.end = table.clear(upTo: state.end)
    }

    private func makeRoom() {
        // Codes are made of what the last ones gave, until the table is full.
        let last = GIFCodeTable.maxCodeCount - 1
        let tableEnd = unsafe state.codeCount > last ? Int(table.places[last]) + Int(table.lengths[last]) : nil
        state.end = table.makeRoom(behind: tableEnd, upTo: state.end)
    }

    @inline(__always) private static func refill(
        _ state: inout State, _ block: UnsafeRawBufferPointer, _ offset: inout Int
    ) {
        if block.count - offset >= 8 {
            let more = unsafe UInt64(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            state.bits |= more &<< UInt64(truncatingIfNeeded: state.bitCount)
            offset &+= (63 &- state.bitCount) &>> 3
            state.bitCount |= 56
        } else {
            while offset < block.count, state.bitCount <= 56 {
                unsafe state.bits |= UInt64(block[offset]) &<< UInt64(truncatingIfNeeded: state.bitCount)
                state.bitCount &+= 8
                offset &+= 1
            }
        }
    }

    /// Eight bytes at a time; what it writes too much is written over by what follows.
    @inline(__always) private static func copy(
        _ count: Int, from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer
    ) {
        var offset = 0
        repeat {
            unsafe target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset,
                as: UInt64.self)
            offset &+= 8
        } while offset < count
    }
}
