import WebImageFoundation

/// The bytes of a body so far, in one piece of memory that becomes the `Data` of the whole without a copy.
///
/// `@unchecked Sendable`: it is a part of a download's state, whose lock lets one thread at a time use it.
@safe final class ArrivedBody: @unchecked Sendable {
    private let memory: BodyMemory
    private var block: BodyMemory.Block?
    private(set) var count = 0

    init(_ memory: BodyMemory) {
        self.memory = memory
    }

    deinit {
        if let block { memory.give(block) }
    }

    /// Makes room for so many bytes in all.
    func reserve(_ byteCount: Int) {
        guard byteCount > block?.byteCount ?? 0 else { return }
        let larger = memory.take(byteCount)
        if let block {
            unsafe larger.start.copyMemory(from: block.start, byteCount: count)
            memory.give(block)
        }
        block = larger
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let needed = count + bytes.count
        if needed > block?.byteCount ?? 0 { reserve(max(needed, 2 * count)) }
        guard let block else { return }
        unsafe (block.start + count).copyMemory(from: start, byteCount: bytes.count)
        count = needed
    }

    func append(_ data: Data) {
        unsafe data.withUnsafeBytes { unsafe append($0) }
    }

    /// A copy of some of the bytes.
    func copy(_ part: Range<Int>) -> Data {
        guard let block, !part.isEmpty else { return Data() }
        return unsafe Data(bytes: block.start + part.lowerBound, count: part.count)
    }

    /// All bytes; from then on there are none.
    func take() -> Data {
        guard let block else { return Data() }
        // `Optional.take` leaves half of such a block behind in a debug build (Swift 6.3).
        self.block = nil
        let byteCount = count
        count = 0
        // Whoever keeps the body must not keep much more than it.
        guard byteCount > block.byteCount - block.byteCount / 4 else {
            defer { memory.give(block) }
            return unsafe Data(bytes: block.start, count: byteCount)
        }
        return unsafe Data(
            bytesNoCopy: block.start, count: byteCount, deallocator: .custom { [memory] _, _ in memory.give(block) })
    }
}
