import Synchronization

/// Memory for the bodies of downloads, used again: the pages of a large block that went back to the system must be had
/// anew one by one, which costs more than to receive into them.
///
/// Small blocks are left to the system's allocator, which keeps those by itself.
final class BodyMemory: Sendable {
    /// `@unchecked Sendable`: who has a block is the only one to touch its bytes.
    @safe struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let byteCount: Int

        fileprivate init(_ byteCount: Int) {
            unsafe start = Memory.allocate(byteCount)
            self.byteCount = byteCount
        }

        private init(_ start: UnsafeMutableRawPointer, _ byteCount: Int) {
            unsafe self.start = start
            self.byteCount = byteCount
        }

        /// The same bytes in a block of another size; this one is no more.
        func resized(to byteCount: Int) -> Block {
            unsafe Block(Memory.resize(start, to: byteCount), byteCount)
        }

        fileprivate func deallocate() {
            unsafe Memory.deallocate(start)
        }
    }

    private struct State {
        /// Longest unused first.
        var spare: [Block] = []
        var byteCount = 0
        var isIdle = true
    }

    private let state = Mutex(State())

    /// Smaller blocks are not kept.
    static let leastByteCount = 1 << 16
    /// All that is kept has this many bytes at most, while something runs.
    static let maxSpareByteCount = 32 << 20

    deinit {
        letGo()
    }

    /// How many bytes are kept.
    var spareByteCount: Int { state.withLock { $0.byteCount } }

    /// A block of so many bytes, or a fifth more.
    func take(_ byteCount: Int) -> Block {
        guard byteCount >= Self.leastByteCount else { return Block(max(byteCount, 1)) }
        let known: Block? = state.withLock { state in
            state.isIdle = false
            let most = byteCount + byteCount / 5
            guard let place = state.spare.lastIndex(where: { (byteCount...most).contains($0.byteCount) }) else {
                return nil
            }
            state.byteCount -= state.spare[place].byteCount
            return state.spare.remove(at: place)
        }
        return known ?? Block(byteCount)
    }

    /// Takes back a block that nobody touches any more.
    func give(_ block: Block) {
        guard (Self.leastByteCount...Self.maxSpareByteCount).contains(block.byteCount) else {
            return block.deallocate()
        }
        let dropped: [Block] = state.withLock { state in
            guard !state.isIdle else { return [block] }
            state.spare.append(block)
            state.byteCount += block.byteCount
            var count = 0
            while state.byteCount > Self.maxSpareByteCount {
                state.byteCount -= state.spare[count].byteCount
                count += 1
            }
            defer { state.spare.removeFirst(count) }
            return Array(state.spare[..<count])
        }
        for block in dropped { block.deallocate() }
    }

    /// Keeps nothing, until the next block is taken.
    func letGo() {
        let dropped = state.withLock { state in
            state.isIdle = true
            state.byteCount = 0
            return exchange(&state.spare, with: [])
        }
        for block in dropped { block.deallocate() }
    }
}
