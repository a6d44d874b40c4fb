internal import CWebImageKernels
private import Synchronization

/// Memory of pictures that are gone, kept for those to come.
///
/// The system clears every page that it hands out, which for a large picture takes a tenth of the time of decoding it.
/// So memory of at least 64 KiB is kept, up to a limit, and goes to the next picture of about its size. The oldest goes
/// first when there is too much. What a picture held can never be seen in another: each is cleared or written in full.
///
/// Any thread may call anything here at any time.
public final class PixelMemoryPool: Sendable {
    /// The pool that every `PixelBuffer` uses.
    public static let shared = PixelMemoryPool()

    /// A piece of memory. `@unchecked Sendable`: it has one owner at a time, a picture or the pool.
    @safe struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let byteCount: Int

        fileprivate init?(byteCount: Int) {
            unsafe self.init(cwebimage_memory(byteCount), byteCount)
        }

        fileprivate init?(clearedByteCount byteCount: Int) {
            unsafe self.init(cwebimage_cleared_memory(byteCount), byteCount)
        }

        private init?(_ start: UnsafeMutableRawPointer?, _ byteCount: Int) {
            guard let start = unsafe start else { return nil }
            unsafe self.start = unsafe start
            self.byteCount = byteCount
        }

        fileprivate func free() {
            unsafe cwebimage_free_memory(start)
        }
    }

    private struct State {
        /// The oldest first.
        var blocks: [Block] = []
        var byteCount = 0
        var byteLimit = 1 << 26

        /// Takes out the oldest blocks that are too much.
        mutating func excess() -> [Block] {
            var count = 0
            while byteCount > byteLimit, count < blocks.count {
                byteCount -= blocks[count].byteCount
                count += 1
            }
            defer { blocks.removeFirst(count) }
            return Array(blocks.prefix(count))
        }
    }

    private let state = Mutex(State())

    /// Less comes from the allocator's own store, without new pages.
    private static let smallest = 1 << 16
    /// Sizes are rounded up to whole steps of so many bytes, so that like pictures fit each other's memory.
    private static let step = 1 << 14

    init() {}

    /// The most bytes that are kept for later. Default 67,108,864 (64 MiB); 0 keeps none.
    public var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set {
            let excess = state.withLock { state in
                state.byteLimit = max(0, newValue)
                return state.excess()
            }
            for block in excess { block.free() }
        }
    }

    /// How many bytes are kept now, apart from those of living pictures.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// Gives everything that is kept back to the allocator; for when memory is short. Living pictures keep theirs.
    public func removeAll() {
        let all = state.withLock { state in
            defer { (state.blocks, state.byteCount) = ([], 0) }
            return state.blocks
        }
        for block in all { block.free() }
    }

    /// Memory of at least so many bytes, of any content; `nil` when there is none.
    func take(_ byteCount: Int) -> Block? {
        let wanted = Self.rounded(byteCount)
        return kept(wanted) ?? Block(byteCount: wanted)
    }

    /// The same, of which at least the given bytes are 0.
    func takeCleared(_ byteCount: Int) -> Block? {
        let wanted = Self.rounded(byteCount)
        guard let block = kept(wanted) else { return Block(clearedByteCount: wanted) }
        unsafe block.start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return block
    }

    private static func rounded(_ byteCount: Int) -> Int {
        guard byteCount >= smallest else { return byteCount }
        let (rounded, overflow) = byteCount.addingReportingOverflow(step - 1)
        return overflow ? byteCount : rounded / step * step
    }

    private func kept(_ wanted: Int) -> Block? {
        guard wanted >= Self.smallest else { return nil }
        return state.withLock { state in
            // The newest is the one most likely still in the processor's cache. A fourth may lie idle, not more.
            state.blocks.lastIndex { $0.byteCount >= wanted && $0.byteCount - wanted <= wanted / 4 }
                .map { index in
                    let block = state.blocks.remove(at: index)
                    state.byteCount -= block.byteCount
                    return block
                }
        }
    }

    /// Takes memory back that no picture uses any more.
    func give(_ block: Block) {
        guard block.byteCount >= Self.smallest else { return block.free() }
        let excess = state.withLock { state in
            guard block.byteCount <= state.byteLimit else { return [block] }
            state.blocks.append(block)
            state.byteCount += block.byteCount
            return state.excess()
        }
        for block in excess { block.free() }
    }
}
