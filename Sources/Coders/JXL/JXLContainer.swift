import WebImageCore
import WebImageFoundation

/// Finds the codestream in the bytes of a file, however these are cut: all of a bare one, and of a container what its
/// boxes jxlc and jxlp hold (ISO/IEC 18181-2).
///
/// libjxl gets only what is found here, so that there are no two answers to what a file holds.
struct JXLContainer {
    private enum Part {
        case start
        case boxHeader
        /// The number that a jxlp box begins with.
        case partNumber
        case codestream
        case other
    }

    private var part = Part.start
    /// The first bytes of a box or part, as long as they are not all there.
    private var head: [UInt8] = []
    /// How many bytes of the box are to come; `nil` for one that ends with the file.
    private var rest: Int?
    /// Whether all boxes of the codestream have begun.
    private var isLast = false

    /// Calls with the ranges of the next bytes of the file that belong to the codestream, in order.
    mutating func scan(
        _ bytes: UnsafeRawBufferPointer, _ take: (Range<Int>) -> Void
    ) throws(ImageError) {
        var place = 0
        while place < bytes.count {
            switch part {
            case .start: part = unsafe bytes[place] == 0xFF ? .codestream : .boxHeader
            case .boxHeader, .partNumber:
                unsafe head.append(bytes[place])
                place += 1
                if part == .boxHeader { try readBoxHeader() } else { readPartNumber() }
            case .codestream, .other:
                let count = min(rest ?? .max, bytes.count - place)
                if part == .codestream, count > 0 { take(place..<place + count) }
                place += count
                advance(count)
            }
        }
    }

    /// The codestream of a whole file; a copy only where it lies in several pieces.
    ///
    /// - Throws: `badImageData` where there is none, or where a box has a size that cannot be.
    static func codestream(of file: Data) throws(ImageError) -> Data {
        let ranges = try unsafe file.withImageBytes(of: .jpegXL) { bytes throws(ImageError) in
            var container = JXLContainer()
            var ranges: [Range<Int>] = []
            try unsafe container.scan(bytes) { ranges.append($0) }
            return ranges
        }
        guard let first = ranges.first else { throw .truncatedJXL(0) }
        var codestream = file[first.offset(by: file.startIndex)]
        for range in ranges.dropFirst() { codestream.append(file[range.offset(by: file.startIndex)]) }
        return codestream
    }

    private mutating func advance(_ count: Int) {
        guard let rest else { return }
        self.rest = rest - count
        if rest == count { part = .boxHeader }
    }

    private mutating func readBoxHeader() throws(ImageError) {
        guard head.count >= 8 else { return }
        var count = head[0..<4].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let hasLongCount = count == 1
        if hasLongCount {
            guard head.count == 16 else { return }
            count = head[8..<16].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        guard count == 0 || count >= UInt64(head.count), count <= UInt64(Int.max) else {
            throw ImageError(.badImageData, .decode, "the jxl is damaged: a box has no size that may be")
        }
        rest = count == 0 ? nil : Int(count) - head.count
        let name = String(decoding: head[4..<8], as: UTF8.self)
        head = []
        try open(name)
    }

    private mutating func open(_ name: String) throws(ImageError) {
        let isPart = name == "jxlp"
        // What follows the end of the codestream is none of it.
        guard isPart || name == "jxlc", !isLast else {
            part = rest == 0 ? .boxHeader : .other
            return
        }
        guard !isPart || rest ?? 4 >= 4 else {
            throw ImageError(.badImageData, .decode, "the jxl is damaged: a jxlp box is too small for its number")
        }
        part = isPart ? .partNumber : rest == 0 ? .boxHeader : .codestream
        isLast = !isPart
    }

    private mutating func readPartNumber() {
        guard head.count == 4 else { return }
        isLast = head[0] & 0x80 != 0
        head = []
        rest = rest.map { $0 - 4 }
        part = rest == 0 ? .boxHeader : .codestream
    }
}

extension Range<Int> {
    fileprivate func offset(by count: Int) -> Range { lowerBound + count..<upperBound + count }
}
