/// The bytes behind one or more equal `PixelBuffer`s.
///
/// `@unchecked Sendable`: bytes are written only through a `PixelBuffer` that holds the one reference to them.
@safe final class PixelMemory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let block: PixelMemoryPool.Block

    /// 64: the cache line and the widest vector register.
    private static let alignment = 64

    /// Memory of any bytes, those of an earlier picture among them.
    convenience init(byteCount: Int) {
        // Aligned by hand: of a large aligned block glibc gets every page anew from the system.
        self.init(PixelMemoryPool.shared.take(byteCount + Self.alignment), byteCount)
    }

    /// Memory of zeros.
    convenience init(clearedByteCount byteCount: Int) {
        self.init(PixelMemoryPool.shared.takeCleared(byteCount + Self.alignment), byteCount)
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
        let copy = unsafe PixelMemory(byteCount: bytes.count)
        unsafe copy.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes))
        return copy
    }
}
