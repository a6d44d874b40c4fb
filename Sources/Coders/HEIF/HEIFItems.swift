import WebImageCore
import WebImageFoundation

/// Where the items of a HEIF file lie, and which of them its primary picture is made of (ISO 14496-12, 8.11).
struct HEIFItems {
    /// Of each item, how far into the file it reaches.
    private var ends: [Int: Int] = [:]
    /// The items that are made of others.
    private var canvases: [Int: HEIFCanvas] = [:]
    /// Of each item, the first of its bytes, which say how large such a one is.
    private var heads: [Int: Data] = [:]
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
        let store = boxes.first("idat", in: contents)
        if let box = boxes.first("iloc", in: contents) { readLocations(boxes.reader, box, store) }
        for box in boxes.all("iinf", in: contents) { readTypes(boxes, box) }
        for box in boxes.all("iref", in: contents) { readReferences(boxes, box) }
    }

    /// What a file is read for.
    enum Purpose {
        case header
        case picture
    }

    /// How many bytes lack at the end of a file that can be done without; 0 when none lack. The header needs none of
    /// them, if they are not too many to make up. For the picture it is 0 when its primary item or its transparency
    /// needs them, or when they are more than half of the file.
    func spareByteCount(in count: Int, for purpose: Purpose) -> Int {
        guard let primary, let last = ends.values.max(), last > count else { return 0 }
        let missing = last - count
        if purpose == .header { return missing <= Self.mostMadeUp ? missing : 0 }
        guard missing <= count / 2 else { return 0 }
        return isWhole(primary, within: count) ? missing : 0
    }

    /// Whether all that a picture is made of lies in so many bytes.
    func isWhole(_ item: Int, within count: Int) -> Bool {
        var needed: Set<Int> = []
        guard (try? addParts(of: item, to: &needed)) != nil else { return false }
        return needed.allSatisfy { ends[$0].map { $0 <= count } ?? true }
    }

    /// Throws `badImageData` for a picture that is made of itself, and `limitExceeded` for one of too many parts:
    /// libheif 1.15 follows them until the process ends. It makes the canvas of a picture that is made of others as
    /// large as that picture's own bytes say, whatever the header says, so that they must keep the limits too.
    ///
    /// - Parameter item: The picture; `nil` is the primary one.
    func checkParts(of item: Int? = nil, _ limits: DecodeLimits) throws(ImageError) {
        guard let picture = item ?? primary else { return }
        var needed: Set<Int> = []
        _ = try addParts(of: picture, to: &needed)
        for item in needed.sorted() {
            guard let head = heads[item], let size = canvases[item]?.size(head) else { continue }
            try limits.check(size, of: .heic)
        }
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
    private static let mostMadeUp = 1 << 26

    // MARK: Reading

    /// - Parameter store: The box that items may lie in, instead of anywhere in the file.
    private mutating func readLocations(_ reader: ByteReader, _ box: Range<Int>, _ store: Range<Int>?) {
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
                let place = method == 0 ? 0..<reader.count : method == 1 ? store ?? 0..<0 : 0..<0
                addHead(of: item, reader, start, length, in: place)
            }
        }
    }

    private mutating func addHead(of item: Int, _ reader: ByteReader, _ start: Int, _ length: Int, in place: Range<Int>)
    {
        let missing = HEIFCanvas.headByteCount - (heads[item]?.count ?? 0)
        guard start <= place.count else { return }
        // A length of 0 is all that there is.
        let rest = place.count - start
        let count = min(missing, rest, length == 0 ? rest : length)
        guard count > 0, let bytes = reader.bytes(place.lowerBound + start, count: count) else { return }
        heads[item, default: Data()] += bytes
    }

    /// ISO 14496-12, 8.11.6.
    private mutating func readTypes(_ boxes: ISOBoxes, _ box: Range<Int>) {
        let headByteCount = boxes.reader.uint8(box.lowerBound) == 0 ? 6 : 8
        guard box.count > headByteCount else { return }
        for entry in boxes.all("infe", in: box.dropFirst(headByteCount)) {
            let isLong = boxes.reader.uint8(entry.lowerBound) == 3
            let place = entry.lowerBound + 4
            guard let item = isLong ? boxes.reader.uint32(place) : boxes.reader.uint16(place) else { continue }
            let name = place + (isLong ? 6 : 4)
            canvases[item] = HEIFCanvas.allCases.first { boxes.reader.has($0.rawValue, at: name) }
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
