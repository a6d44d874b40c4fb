/// The bytes behind one or more equal `PixelBuffer`s.
///
/// `@unchecked Sendable`: bytes are written only through a `PixelBuffer` that holds the one reference to them.
@safe final class PixelMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let block: PixelMemoryPool.Block

    /// 64: the cache line and the widest vector register.
    private static let alignment = 64

    /// Memory of any bytes, those of an earlier picture among them; `nil` when there is none.
    convenience init?(byteCount: Int) {
        // Aligned by hand: of a large aligned block glibc gets every page anew from the system.
        guard let wanted = Self.withAlignment(byteCount), let block = PixelMemoryPool.shared.take(wanted) else {
            return nil
        }
        self.init(block, byteCount)
    }

    /// Memory of zeros; `nil` when there is none.
    convenience init?(clearedByteCount byteCount: Int) {
        guard let wanted = Self.withAlignment(byteCount), let block = PixelMemoryPool.shared.takeCleared(wanted) else {
            return nil
        }
        self.init(block, byteCount)
    }

    private static func withAlignment(_ byteCount: Int) -> Int? {
        let (wanted, overflow) = byteCount.addingReportingOverflow(alignment)
        return overflow ? nil : wanted
    }

    private init(_ block: PixelMemoryPool.Block, _ byteCount: Int) {
        self.block = block
        let start = unsafe block.start.alignedUp(toMultipleOf: Self.alignment)
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit {
        PixelMemoryPool.shared.give(block)
    }

    func copy() -> PixelMemory {
        guard let copy = unsafe PixelMemory(byteCount: bytes.count) else {
            fatalError("there is no memory for a copy of \(unsafe bytes.count) bytes of pixels")
        }
        unsafe copy.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes))
        return copy
    }
}
