import WebImageFoundation

/// The bytes of a body so far, in one piece of memory that becomes the `Data` of the whole without a copy.
///
/// `@unchecked Sendable`: it is a part of a download's state, whose lock lets one thread at a time use it.
@safe final class ArrivedBody: @unchecked Sendable {
    private let memory: BodyMemory
    private var block: BodyMemory.Block?
    private(set) var count = 0
    /// Of the whole, as far as it is known.
    private var announcedByteCount = 0

    /// A block that is larger than this is resized rather than replaced by another: its pages need not be copied.
    private static let leastResizedByteCount = 1 << 20
    /// An announced length is a promise of strangers: room is made for so much of it, for more once that has come.
    private static let mostReservedByteCount = 1 << 22

    init(_ memory: BodyMemory) {
        self.memory = memory
    }

    deinit {
        if let block { memory.give(block) }
    }

    /// Prepares for so many bytes in all, should they come.
    func expect(_ byteCount: Int) {
        announcedByteCount = byteCount
        reserve(min(byteCount, max(count, Self.mostReservedByteCount)))
    }

    private func reserve(_ byteCount: Int) {
        guard byteCount > block?.byteCount ?? 0 else { return }
        guard let block else {
            self.block = memory.take(byteCount)
            return
        }
        // Pages that nothing has come to yet are none.
        guard block.byteCount < Self.leastResizedByteCount else {
            self.block = block.resized(to: byteCount)
            return
        }
        let larger = memory.take(byteCount)
        unsafe larger.start.copyMemory(from: block.start, byteCount: count)
        memory.give(block)
        self.block = larger
    }

    /// Twice what there is, but not beyond what was announced.
    private func makeRoom(_ byteCount: Int) {
        let twice = max(byteCount, 2 * count)
        reserve(byteCount <= announcedByteCount ? min(twice, announcedByteCount) : twice)
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let needed = count + bytes.count
        if needed > block?.byteCount ?? 0 { makeRoom(needed) }
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
        if byteCount > block.byteCount - block.byteCount / 4 { return data(byteCount, in: block) }
        if byteCount >= Self.leastResizedByteCount { return data(byteCount, in: block.resized(to: byteCount)) }
        defer { memory.give(block) }
        return unsafe Data(bytes: block.start, count: byteCount)
    }

    private func data(_ byteCount: Int, in block: BodyMemory.Block) -> Data {
        unsafe Data(
            bytesNoCopy: block.start, count: byteCount, deallocator: .custom { [memory] _, _ in memory.give(block) })
    }
}
