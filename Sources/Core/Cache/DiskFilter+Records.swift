import Synchronization

/// Copies of entries' records in the file that all processes map. On ext4 an attribute lies in a block of its own, and
/// reading it costs nearly as much as reading a picture of 20 kB; a copy costs no call.
///
/// A copy is made when an attribute was read, and counts only for the file that it was made of: with the same key, file
/// number, size and time of the last change to the nanosecond. Whoever puts another body in place has another file; who
/// replaces the attribute sets that time, and forgets the copy. A time of the last seconds tells too little, for
/// what changes twice within a tick of the system's clock has it both times: then no copy is made.
///
/// Copies of many keys share a place, so that some push others out. A sum tells one that was half written.
extension DiskFilter {
    /// What tells a file, and what it was at one time, from all others.
    private struct Mark: Hashable, BitwiseCopyable {
        let digestHigh, digestLow, fileNumber: UInt64
        let seconds, nanoseconds: Int64
        let byteCount: Int

        init(_ digest: DiskDigest, _ status: FileStatus) {
            (digestHigh, digestLow) = (digest.high, digest.low)
            fileNumber = status.fileNumber
            (seconds, nanoseconds) = (status.modified.seconds, Int64(status.modified.nanoseconds))
            byteCount = status.byteCount
        }
    }

    // A slot: the sum of what follows, the mark, whose first word is the digest's, the record's length, the record.
    private static let slotByteCount = 512
    private static let markPlace = 8
    private static let lengthPlace = markPlace + MemoryLayout<Mark>.size
    private static let recordPlace = lengthPlace + 8
    private static let pairCount = 1 << 13

    static let recordsByteCount = pairCount * 2 * slotByteCount

    /// Younger changes are not told apart by their time.
    private static let youngest = Duration.seconds(2)

    /// Has what `record` looks at most likely come near.
    static func prefetchRecords(_ digest: DiskDigest, _ file: MappedFile) {
        for place in places(digest) { file.prefetch(place..<place + usualByteCount) }
    }

    /// What most records take of a slot.
    private static let usualByteCount = 256

    /// The record of an open file, where there is a copy of it.
    func record(of address: DiskAddress, _ status: FileStatus) -> DiskRecord? {
        guard let file = currentFile() else { return nil }
        for place in Self.places(address.digest) where Self.isOwn(place, address.digest, file) {
            // No more than the record needs: each line of memory costs, most likely, a way to the memory itself.
            guard let count = Self.usedByteCount(Int(truncatingIfNeeded: file.word(at: place + Self.lengthPlace)))
            else { continue }
            let record = unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { slot in
                unsafe file.copy(from: place, into: slot)
                return unsafe Self.record(in: UnsafeRawBufferPointer(slot), of: address, status)
            }
            if let record { return record }
        }
        return nil
    }

    /// Keeps a copy of a file's record, unless it is large or the file young.
    func keep(_ record: UnsafeRawBufferPointer, of digest: DiskDigest, _ status: FileStatus, now: WallTime) {
        guard record.count <= Self.slotByteCount - Self.recordPlace, status.modified < now.subtracting(Self.youngest),
            let file = currentFile(), let place = placeToWrite(digest, file)
        else { return }
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.slotByteCount, alignment: 8) { slot in
            unsafe slot.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe slot.storeBytes(of: Mark(digest, status), toByteOffset: Self.markPlace, as: Mark.self)
            unsafe slot.storeBytes(of: record.count, toByteOffset: Self.lengthPlace, as: Int.self)
            unsafe UnsafeMutableRawBufferPointer(rebasing: slot[Self.recordPlace...]).copyMemory(from: record)
            unsafe slot.storeBytes(of: Self.sum(UnsafeRawBufferPointer(slot)), as: UInt64.self)
            // A full disk has no room for it.
            try? unsafe file.write(UnsafeRawBufferPointer(slot), at: place)
        }
    }

    /// Forgets the copy of a record that has been replaced.
    func forgetRecord(of digest: DiskDigest) {
        guard let file = currentFile() else { return }
        for place in Self.places(digest) where Self.isOwn(place, digest, file) {
            unsafe withUnsafeBytes(of: UInt64(0)) { try? unsafe file.write($0, at: place) }
        }
    }

    /// One of a key's two slots: its own, or a free one, or one of another now and then, so that those who are asked
    /// for often get one in the end and a pair of too many costs little.
    private func placeToWrite(_ digest: DiskDigest, _ file: MappedFile) -> Int? {
        let places = Self.places(digest)
        if let own = places.first(where: { Self.isOwn($0, digest, file) }) { return own }
        if let free = places.first(where: { file.word(at: $0) == 0 }) { return free }
        let turn = crowdedCount.wrappingAdd(1, ordering: .relaxed).newValue
        return turn % 8 == 0 ? Self.firstPlace(digest) + Int(turn / 8 % 2) * Self.slotByteCount : nil
    }

    /// What is in a slot, if it is whole and of this file.
    private static func record(
        in slot: UnsafeRawBufferPointer, of address: DiskAddress, _ status: FileStatus
    ) -> DiskRecord? {
        let length = unsafe slot.load(fromByteOffset: lengthPlace, as: Int.self)
        // Another may have been written since that was read first.
        guard usedByteCount(length) == slot.count,
            unsafe slot.load(fromByteOffset: markPlace, as: Mark.self) == Mark(address.digest, status),
            unsafe slot.load(as: UInt64.self) == sum(slot)
        else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: slot[recordPlace..<recordPlace + length])
        return unsafe DiskRecord(bytes, expected: address.key)
    }

    /// What a record of a length takes of a slot, in whole words; `nil` for what is no length.
    private static func usedByteCount(_ length: Int) -> Int? {
        guard (0...slotByteCount - recordPlace).contains(length) else { return nil }
        return recordPlace + (length + 7) / 8 * 8
    }

    /// Of all that follows it, up to the end of the record; never zero, which a free slot has.
    private static func sum(_ slot: UnsafeRawBufferPointer) -> UInt64 {
        let length = unsafe slot.load(fromByteOffset: lengthPlace, as: Int.self)
        var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
        for place in stride(from: markPlace, to: recordPlace + length, by: 8) {
            let word = unsafe slot.load(fromByteOffset: place, as: UInt64.self)
            sum = (sum ^ word) &* 0xD6E8_FEB8_6659_FD93
            sum ^= sum >> 32
        }
        return max(sum, 1)
    }

    /// Where the copy of a key's record may be.
    private static func places(_ digest: DiskDigest) -> StrideTo<Int> {
        let first = firstPlace(digest)
        return stride(from: first, to: first + 2 * slotByteCount, by: slotByteCount)
    }

    private static func firstPlace(_ digest: DiskDigest) -> Int {
        recordsStart + Int(digest.low % UInt64(pairCount)) * 2 * slotByteCount
    }

    /// Whether a slot was last written for a key, most likely.
    private static func isOwn(_ place: Int, _ digest: DiskDigest, _ file: MappedFile) -> Bool {
        file.word(at: place + markPlace) == digest.high
    }
}
