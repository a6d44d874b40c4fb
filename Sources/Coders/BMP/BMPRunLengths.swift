import WebImagePixels

/// Pixels as run lengths (RLE8 and RLE4), found row by row.
///
/// The rows come in the file's order, which is not the picture's: one walk over the commands notes where each begins,
/// so that any of them can be read by itself.
struct BMPRunLengths: Sendable {
    /// Where the file begins to tell of a row.
    struct RowStart: Sendable {
        var row: Int
        var column: Int
        var offset: Int
    }

    /// In the order of rows; those that nothing is told of are missing.
    private(set) var rows: [RowStart]
    /// Whether every pixel has got a colour.
    private(set) var isWhole = false
    /// Whether the file says that it ends, or has told of all rows.
    private(set) var hasEnd = false
    private let bits: Int

    init(_ bytes: Span<UInt8>, from start: Int, _ header: BMPHeader) {
        bits = header.bits
        let size = header.size
        var place = RowStart(row: 0, column: 0, offset: start)
        rows = [place]
        var coveredCount = 0
        while place.row < size.height, let command = Command(bytes, &place.offset, bits: bits) {
            switch command {
            case .run(let count, _), .pixels(let count, _):
                let end = min(size.width, place.column + count)
                coveredCount += end - place.column
                place.column = end
            case .move(let right, let down):
                place.column = min(size.width, place.column + right)
                if down > 0 { begin(&place, rows: down, column: place.column) }
            case .endOfRow: begin(&place, rows: 1, column: 0)
            case .end:
                hasEnd = true
                place.row = size.height
            }
        }
        isWhole = coveredCount == size.pixelCount
        if place.row >= size.height { hasEnd = true }
    }

    private mutating func begin(_ place: inout RowStart, rows down: Int, column: Int) {
        place.row += down
        place.column = column
        rows.append(place)
    }

    /// Calls with each run of equal pixels of a row, those behind its end left out.
    func forEachRun(
        of start: RowStart, _ bytes: Span<UInt8>, width: Int, _ take: (_ columns: Range<Int>, _ index: Int) -> Void
    ) {
        var (column, offset) = (start.column, start.offset)
        while let command = Command(bytes, &offset, bits: bits) {
            switch command {
            case .run(let count, let value):
                let end = min(width, column + count)
                takeRun(column..<end, value, take)
                column = end
            case .pixels(let count, let first):
                let end = min(width, column + count)
                for index in 0..<end - column {
                    take(column + index..<column + index + 1, literal(bytes, first, index))
                }
                column = end
            case .move(let right, let down):
                guard down == 0 else { return }
                column = min(width, column + right)
            case .endOfRow, .end: return
            }
        }
    }

    /// A run of 4-bit pixels takes turns between two colours.
    private func takeRun(_ columns: Range<Int>, _ value: Int, _ take: (_ columns: Range<Int>, _ index: Int) -> Void) {
        let (first, second) = bits == 8 ? (value, value) : (value >> 4, value & 15)
        guard first != second else { return take(columns, first) }
        for column in columns {
            take(column..<column + 1, (column - columns.lowerBound) & 1 == 0 ? first : second)
        }
    }

    private func literal(_ bytes: Span<UInt8>, _ first: Int, _ index: Int) -> Int {
        guard bits == 4 else { return Int(bytes[first + index]) }
        let pair = Int(bytes[first + index / 2])
        return index & 1 == 0 ? pair >> 4 : pair & 15
    }

    private enum Command {
        case run(count: Int, value: Int)
        /// Their bytes begin at `first`.
        case pixels(count: Int, first: Int)
        case move(right: Int, down: Int)
        case endOfRow
        case end

        /// `nil` where the bytes end too early; otherwise `offset` moves behind the command.
        init?(_ bytes: Span<UInt8>, _ offset: inout Int, bits: Int) {
            guard offset >= 0, offset <= bytes.count - 2 else { return nil }
            let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
            offset += 2
            switch (first, second) {
            case (0, 0): self = .endOfRow
            case (0, 1): self = .end
            case (0, 2):
                guard offset <= bytes.count - 2 else { return nil }
                self = .move(right: Int(bytes[offset]), down: Int(bytes[offset + 1]))
                offset += 2
            case (0, let count):
                let byteCount = (count * bits + 7) / 8
                guard byteCount <= bytes.count - offset else { return nil }
                self = .pixels(count: count, first: offset)
                // Rounded up to an even count; the last one may be missing at the end of the file.
                offset += byteCount + byteCount & 1
            case (let count, let value): self = .run(count: count, value: value)
            }
        }
    }
}
