import Testing

@testable import WebImageCore

@Suite struct ByteHashTests {
    private func hash(_ bytes: some Collection<UInt8>) -> Int {
        Array(bytes).withUnsafeBufferPointer { ByteHash.hash(of: $0) }
    }

    @Test func theSameBytesHashAlikeWhereverTheyLie() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for count in 0..<100 {
            let expected = hash(bytes[..<count])
            for start in 1..<9 {
                let moved = [UInt8](repeating: 0xAA, count: start) + bytes[..<count] + [0x55]
                let found = moved.withUnsafeBufferPointer {
                    ByteHash.hash(of: UnsafeBufferPointer(rebasing: $0[start..<start + count]))
                }
                #expect(found == expected, "\(count) bytes at \(start)")
            }
        }
    }

    @Test("each byte and the length count, also among zeros")
    func everythingCounts() {
        var seen: Set<Int> = []
        var count = 0
        for length in 0..<70 {
            let zeros = [UInt8](repeating: 0, count: length)
            seen.insert(hash(zeros))
            count += 1
            for place in 0..<length {
                for bit in 0..<8 {
                    var bytes = zeros
                    bytes[place] = 1 << bit
                    seen.insert(hash(bytes))
                    count += 1
                }
            }
        }
        #expect(seen.count == count)
    }

    @Test("keys that differ by a number spread over the parts of the index and the slots of a table")
    func spread() {
        let hashes = (0..<20_000).map { CacheKey("https://bench.example/pictures/\($0).jpg").hash }
        for shift in [0, 40, 58] {
            var counts = [Int](repeating: 0, count: 32)
            for hash in hashes { counts[(hash >> shift) & 31] += 1 }
            // 625 each; ten times what chance makes of that.
            #expect(counts.allSatisfy { (375...875).contains($0) }, "bits from \(shift): \(counts)")
        }
    }
}
