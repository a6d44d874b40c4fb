/// What the LZW codes of one frame stand for, and the indices that they gave and nobody has taken yet.
///
/// What a code stands for stands among those indices already: the code that came before it, and one index more. So a
/// code is a place and a length, and to follow it is to copy. The first 256 places hold each index once, for the codes
/// of a single index.
@safe final class GIFCodeTable {
    static let maxCodeCount = 4096
    /// What one code can add at most, and what copying eight bytes at a time writes behind that.
    private static let slack = maxCodeCount + 8
    /// Where what codes gave begins.
    private static let base = 256

    /// Where that stands for which a code stands.
    let places: UnsafeMutablePointer<UInt32>
    /// How many indices that is; 0 for the codes to clear and to end.
    let lengths: UnsafeMutablePointer<UInt16>
    private(set) var indices: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// Where the first index is that has not been taken.
    private(set) var start = GIFCodeTable.base

    /// - Parameters:
    ///   - clearCode: Codes below stand for themselves.
    ///   - indexCount: How many indices there will be.
    init(clearCode: Int, indexCount: Int) {
        capacity = Self.base + min(indexCount, 1 << 15) + Self.slack
        unsafe places = .allocate(capacity: Self.maxCodeCount)
        unsafe lengths = .allocate(capacity: Self.maxCodeCount)
        unsafe indices = .allocate(capacity: capacity)
        unsafe places.initialize(repeating: 0, count: Self.maxCodeCount)
        unsafe lengths.initialize(repeating: 0, count: Self.maxCodeCount)
        unsafe indices.initialize(repeating: 0, count: capacity)
        for index in 0..<Self.base { unsafe indices[index] = UInt8(index) }
        for code in 0..<clearCode {
            unsafe places[code] = UInt32(code & 255)
            unsafe lengths[code] = 1
        }
    }

    deinit {
        unsafe places.deallocate()
        unsafe lengths.deallocate()
        unsafe indices.deallocate()
    }

    /// Where no code may begin any more.
    var end: Int { capacity - Self.slack }

    /// Gives away the next indices.
    func take(_ count: Int) -> UnsafeRawBufferPointer {
        let taken = unsafe UnsafeRawBufferPointer(start: indices + start, count: count)
        start += count
        return unsafe taken
    }

    /// Moves what has not been taken to where it is in nobody's way.
    ///
    /// - Parameters:
    ///   - end: Where it ends.
    ///   - place: What lies before is still needed; `nil` for all that the codes gave since they began anew.
    /// - Returns: Where it ends now.
    func makeRoom(behind place: Int?, upTo end: Int) -> Int {
        guard let place, place < start else {
            grow(keeping: end)
            return end
        }
        return move(upTo: end, to: place)
    }

    /// Begins anew: codes stand for nothing any more, but for those of a single index.
    ///
    /// - Returns: Where that ends now that has not been taken.
    func clear(upTo end: Int) -> Int {
        start > Self.base ? move(upTo: end, to: Self.base) : end
    }

    private func move(upTo end: Int, to place: Int) -> Int {
        let count = end - start
        unsafe (indices + place).update(from: indices + start, count: count)
        start = place
        return place + count
    }

    private func grow(keeping count: Int) {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity)
        unsafe larger.initialize(repeating: 0, count: 2 * capacity)
        unsafe larger.update(from: indices, count: count)
        unsafe indices.deallocate()
        unsafe indices = larger
        capacity *= 2
    }
}
