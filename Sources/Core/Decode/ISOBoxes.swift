package import WebImageFoundation

/// The boxes of an ISO media file (ISO 14496-12, 4.2), found by name and bounds-checked.
package struct ISOBoxes {
    package let reader: ByteReader

    package init(_ data: Data) {
        reader = ByteReader(data, .bigEndian)
    }

    /// The contents of the first box of a name that lies directly in a range.
    package func first(_ name: String, in range: Range<Int>) -> Range<Int>? {
        var found: Range<Int>?
        walk(range) { offset, contents in
            guard reader.has(name, at: offset + 4) else { return true }
            found = contents
            return false
        }
        return found
    }

    /// The contents of the first box at the end of a path of names.
    package func first(path: [String], in range: Range<Int>) -> Range<Int>? {
        var place: Range<Int>? = range
        for name in path { place = place.flatMap { first(name, in: $0) } }
        return place
    }

    /// The contents of all boxes of a name that lie directly in a range.
    package func all(_ name: String, in range: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        walk(range) { offset, contents in
            if reader.has(name, at: offset + 4) { found.append(contents) }
            return true
        }
        return found
    }

    /// A number at an offset into a box's contents; `nil` outside them.
    package func uint32(_ offset: Int, of contents: Range<Int>) -> Int? {
        guard offset >= 0, contents.count >= 4, offset <= contents.count - 4 else { return nil }
        return reader.uint32(contents.lowerBound + offset)
    }

    /// The same 32 bits, for arithmetic with 64-bit ones.
    package func long(_ offset: Int, of contents: Range<Int>) -> UInt64? {
        uint32(offset, of: contents).map { UInt64($0) }
    }

    package func uint64(_ offset: Int, of contents: Range<Int>) -> UInt64? {
        guard offset >= 0, contents.count >= 8, offset <= contents.count - 8 else { return nil }
        return reader.uint64(contents.lowerBound + offset)
    }

    /// Visits boxes in order until the visitor says `false`, or one does not fit.
    private func walk(_ range: Range<Int>, _ visit: (_ offset: Int, _ contents: Range<Int>) -> Bool) {
        var offset = range.lowerBound
        while offset <= range.upperBound - 8, let size = reader.uint32(offset) {
            var header = 8
            var count = size == 0 ? range.upperBound - offset : size
            if size == 1 {
                guard let high = reader.uint32(offset + 8), high == 0, let low = reader.uint32(offset + 12) else {
                    return
                }
                header = 16
                count = low
            }
            guard count >= header, count <= range.upperBound - offset else { return }
            guard visit(offset, offset + header..<offset + count) else { return }
            offset += count
        }
    }
}
