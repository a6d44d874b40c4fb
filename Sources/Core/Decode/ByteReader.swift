package import WebImageFoundation

/// Reads numbers out of bytes that nobody vouches for: every read says whether it was inside.
package struct ByteReader: Sendable {
    /// Which end of a number comes first.
    package enum ByteOrder: Sendable {
        case bigEndian
        case littleEndian
    }

    private let data: Data
    private let byteOrder: ByteOrder

    package init(_ data: Data, _ byteOrder: ByteOrder) {
        self.data = data
        self.byteOrder = byteOrder
    }

    package var count: Int { data.count }

    /// The byte at an offset from the start; `nil` outside.
    package func uint8(_ offset: Int) -> Int? {
        guard offset >= 0, offset < data.count else { return nil }
        return Int(data[data.startIndex + offset])
    }

    package func uint16(_ offset: Int) -> Int? {
        guard let first = uint8(offset), let second = uint8(offset + 1) else { return nil }
        return byteOrder == .bigEndian ? first << 8 | second : second << 8 | first
    }

    package func uint32(_ offset: Int) -> Int? {
        guard let first = uint16(offset), let second = uint16(offset + 2) else { return nil }
        return byteOrder == .bigEndian ? first << 16 | second : second << 16 | first
    }

    package func uint64(_ offset: Int) -> UInt64? {
        guard let first = uint32(offset), let second = uint32(offset + 4) else { return nil }
        let (high, low) = byteOrder == .bigEndian ? (first, second) : (second, first)
        return UInt64(high) << 32 | UInt64(low)
    }

    /// A part of the bytes; `nil` when any of it is outside.
    package func bytes(_ offset: Int, count: Int) -> Data? {
        guard offset >= 0, count >= 0, offset <= data.count, count <= data.count - offset else { return nil }
        let start = data.startIndex + offset
        return data[start..<start + count]
    }

    /// Whether the ASCII text stands at the offset.
    package func has(_ text: String, at offset: Int) -> Bool {
        bytes(offset, count: text.utf8.count)?.elementsEqual(text.utf8) ?? false
    }
}
