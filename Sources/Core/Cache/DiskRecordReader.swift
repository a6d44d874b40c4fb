/// Takes fields from the front of bytes that may be anything; `nil` where there are too few. Good as long as the bytes.
@safe struct DiskRecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = bytes
    }

    var isAtEnd: Bool { unsafe place == bytes.count }

    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard unsafe count <= bytes.count - place else { return nil }
        defer { place += count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    /// A little-endian number.
    mutating func takeInteger<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        guard let field = unsafe take(Number.bitWidth / 8) else { return nil }
        return Number(littleEndian: unsafe field.loadUnaligned(as: Number.self))
    }

    /// Bytes after their count.
    mutating func takeCounted() -> UnsafeRawBufferPointer? {
        guard let count = takeInteger(UInt32.self) else { return nil }
        return unsafe take(Int(count))
    }
}
