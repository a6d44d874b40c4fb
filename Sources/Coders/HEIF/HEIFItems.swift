import WebImageCore
import WebImageFoundation

/// Where the items of a HEIF file lie, and which of them its primary picture is made of (ISO 14496-12, 8.11).
struct HEIFItems {
    /// Of each item, how far into the file it reaches.
    private var ends: [Int: Int] = [:]
    /// From an item to those that are decoded for it: what it is made of, and its transparency.
    private var parts: [Int: [Int]] = [:]
    private var primary: Int?

    /// Nothing for bytes that are no such file.
    init(_ data: Data) {
        let boxes = ISOBoxes(data)
        // Of boxes that stand twice nobody knows which counts.
        for meta in boxes.all("meta", in: 0..<data.count) where meta.count > 4 { read(boxes, meta.dropFirst(4)) }
    }

    private mutating func read(_ boxes: ISOBoxes, _ contents: Range<Int>) {
        if let box = boxes.first("pitm", in: contents) {
            let isLong = boxes.reader.uint8(box.lowerBound) != 0
            primary = isLong ? boxes.uint32(4, of: box) : boxes.reader.uint16(box.lowerBound + 4)
        }
        if let box = boxes.first("iloc", in: contents) { readLocations(boxes.reader, box) }
        for box in boxes.all("iref", in: contents) { readReferences(boxes, box) }
    }

    /// How many bytes lack at the end of a file that its primary picture and its transparency can do without; 0 when
    /// none lack, when it needs them, or when they are more than half of the file.
    func spareByteCount(in count: Int) -> Int {
        guard let primary, let last = ends.values.max(), last > count, last - count <= count / 2 else { return 0 }
        var needed: Set<Int> = []
        guard (try? addParts(of: primary, to: &needed)) != nil else { return 0 }
        return needed.allSatisfy { ends[$0].map { $0 <= count } ?? true } ? last - count : 0
    }

    /// Throws `badImageData` for a picture that is made of itself, and `limitExceeded` for one of too many parts:
    /// libheif 1.15 follows them until the process ends.
    func checkParts() throws(ImageError) {
        guard let primary else { return }
        var needed: Set<Int> = []
        _ = try addParts(of: primary, to: &needed)
    }

    /// Returns how many decodes the item takes, parts that are used twice counted twice.
    @discardableResult
    private func addParts(of item: Int, to needed: inout Set<Int>, depth: Int = 0) throws(ImageError) -> Int {
        // Pictures made of pictures made of pictures: no honest file goes deeper.
        guard depth < 6 else {
            throw ImageError(.badImageData, .decode, "the heic is damaged: its item \(item) is made of itself")
        }
        needed.insert(item)
        var count = 1
        for part in parts[item] ?? [] {
            count += try addParts(of: part, to: &needed, depth: depth + 1)
            guard count <= Self.maxPartCount else {
                throw ImageError(
                    .limitExceeded, .decode, "the heic is made of more than \(Self.maxPartCount) pictures")
            }
        }
        return count
    }

    private static let maxPartCount = 20_000

    // MARK: Reading

    private mutating func readLocations(_ reader: ByteReader, _ box: Range<Int>) {
        guard let version = reader.uint8(box.lowerBound), version <= 2,
            let sizes = reader.uint16(box.lowerBound + 4)
        else { return }
        var cursor = Cursor(reader: reader, offset: box.lowerBound + 6, end: box.upperBound)
        let idSize = version == 2 ? 4 : 2
        guard let count = cursor.number(idSize) else { return }
        for _ in 0..<count {
            guard let item = cursor.number(idSize) else { return }
            let method = version == 0 ? 0 : cursor.number(2).map { $0 & 15 }
            guard let method, cursor.number(2) != nil, let base = cursor.number(sizes >> 4 & 15),
                let extents = cursor.number(2)
            else { return }
            let indexSize = version == 0 ? 0 : sizes & 15
            // Extents may be written in no bytes at all, and then be as many as one likes.
            guard indexSize + (sizes >> 8) > 0 else { return }
            for _ in 0..<extents {
                guard cursor.number(indexSize) != nil, let offset = cursor.number(sizes >> 12),
                    let length = cursor.number(sizes >> 8 & 15)
                else { return }
                let (start, overflow) = base.addingReportingOverflow(offset)
                let (end, overflowToo) = start.addingReportingOverflow(length)
                guard !overflow, !overflowToo else { return }
                if method == 0 { ends[item] = max(end, ends[item] ?? 0) }
            }
        }
    }

    private mutating func readReferences(_ boxes: ISOBoxes, _ box: Range<Int>) {
        let idSize = boxes.reader.uint8(box.lowerBound) == 0 ? 2 : 4
        guard box.count > 4 else { return }
        for type in ["dimg", "auxl"] {
            for reference in boxes.all(type, in: box.dropFirst(4)) {
                var cursor = Cursor(reader: boxes.reader, offset: reference.lowerBound, end: reference.upperBound)
                guard let from = cursor.number(idSize), let count = cursor.number(2) else { continue }
                let to = (0..<count).compactMap { _ in cursor.number(idSize) }
                if type == "dimg" {
                    parts[from, default: []] += to
                } else {
                    for item in to { parts[item, default: []].append(from) }
                }
            }
        }
    }

    /// Reads one number after the other.
    private struct Cursor {
        let reader: ByteReader
        var offset: Int
        let end: Int

        /// The next number of 0, 2, 4 or 8 bytes; one of no bytes is 0.
        mutating func number(_ size: Int) -> Int? {
            guard size <= end - offset else { return nil }
            defer { offset += size }
            switch size {
            case 0: return 0
            case 2: return reader.uint16(offset)
            case 4: return reader.uint32(offset)
            case 8: return reader.uint64(offset).flatMap { Int(exactly: $0) }
            default: return nil
            }
        }
    }
}
