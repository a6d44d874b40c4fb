import Dispatch
import Testing

@testable import WebImagePixels

@Suite("Pixel memory")
struct PixelMemoryPoolTests {
    @Test("Memory comes again for about the same size, and only for that")
    func reuse() throws {
        let pool = PixelMemoryPool()
        let first = try #require(pool.take(1 << 20))
        let start = first.start
        pool.give(first)
        #expect(pool.byteCount == 1 << 20)
        let tooSmall = try #require(pool.take(1 << 19))
        let tooLarge = try #require(pool.take(1 << 21))
        #expect(tooSmall.start != start && tooLarge.start != start)
        let again = try #require(pool.take(1 << 20 - 1 << 16))
        #expect(again.start == start && pool.byteCount == 0)
        for block in [tooSmall, tooLarge, again] { pool.give(block) }
        pool.removeAll()
        #expect(pool.byteCount == 0)
    }

    @Test("No more is kept than the limit; the oldest goes first")
    func limit() throws {
        let pool = PixelMemoryPool()
        #expect(pool.byteLimit == 64 << 20)
        pool.byteLimit = 3 << 20
        let blocks = try (0..<5).map { try #require(pool.take(1 << 20 + $0 << 14)) }
        let starts = blocks.map(\.start)
        for block in blocks { pool.give(block) }
        #expect(pool.byteCount <= 3 << 20 && pool.byteCount > 1 << 20)
        let newest = try #require(pool.take(1 << 20 + 4 << 14))
        #expect(newest.start == starts[4])
        pool.give(newest)
        pool.byteLimit = 0
        #expect(pool.byteCount == 0)
        pool.give(try #require(pool.take(1 << 20)))
        #expect(pool.byteCount == 0)
        pool.byteLimit = -1
        #expect(pool.byteLimit == 0)
    }

    @Test("A block larger than the limit is not kept, and puts nothing out")
    func oversize() throws {
        let pool = PixelMemoryPool()
        pool.byteLimit = 1 << 20
        pool.give(try #require(pool.take(1 << 18)))
        pool.give(try #require(pool.take(1 << 21)))
        #expect(pool.byteCount == 1 << 18)
        pool.removeAll()
    }

    @Test("What a picture held is never seen in another")
    func noLeak() throws {
        let size = PixelSize(300, 200)
        for _ in 0..<3 {
            var secret = try #require(PixelBuffer(size: size, layout: .init(alpha: .opaque)))
            secret.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0xA5) }
        }
        let empty = try #require(PixelBuffer(size: size))
        #expect(empty.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
        #expect(try #require(PixelBufferSink(size: size)).finish().withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
        let resampled = try #require(ResamplingSink(source: PixelSize(600, 400), target: size)).finish()
        #expect(resampled.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
        #expect(empty.centred(in: PixelSize(310, 210))?.withUnsafeBytes { $0.allSatisfy { $0 == 0 } } == true)
    }

    @Test("Of memory that nobody has there is no picture")
    func noMemory() {
        // Nine petabytes, and what an Int just holds.
        for size in [PixelSize(1 << 25, 1 << 26), PixelSize(1 << 30, 1 << 31 - 1), PixelSize(.max >> 2, 1)] {
            #expect(PixelBuffer(size: size) == nil)
            #expect(PixelBuffer(uninitialized: size, layout: .init()) == nil)
        }
        let dot = PixelBuffer(size: PixelSize(1, 1))
        #expect(dot?.framed(by: ImageBorder(width: 0x1p29, color: .black)) == nil)
        #expect(dot?.centred(in: PixelSize(1 << 25, 1 << 26)) == nil)
    }

    @Test("Many threads take and give at once")
    func threads() {
        let pool = PixelMemoryPool()
        pool.byteLimit = 1 << 21
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            guard let block = pool.take(1 << 16 + (index % 7) << 15) else { return }
            block.start.storeBytes(of: index, as: Int.self)
            #expect(block.start.load(as: Int.self) == index)
            pool.give(block)
        }
        #expect(pool.byteCount <= 1 << 21)
        pool.removeAll()
    }
}
