/// Takes fields from the front of bytes that may be anything; `nil` where there are too few.
struct DiskRecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A little-endian number.
    mutating func takeInteger<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        take(Number.bitWidth / 8)?.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Bytes after their count.
    mutating func takeCounted() -> ArraySlice<UInt8>? {
        takeInteger(UInt32.self).flatMap { take(Int($0)) }
    }

    /// UTF-8 after its count; `nil` where it is not UTF-8.
    mutating func takeText() -> String? {
        takeCounted().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
