import Dispatch
import Synchronization

/// Tells without a system call that a key has no entry, whichever process stores and removes; and what the record of
/// one says, as `DiskFilter+Records` tells.
///
/// It is one file, `.filter`, that all processes map: a byte for each of about a million places, of which a key's
/// digest names one. A byte that counts says that an entry may be there; any other that there is none. Whoever stores
/// writes the byte before the entry appears, and once more after that where it does not count then. So a store that has
/// returned is seen by every look-up that begins after it, in any process, without anybody waiting for anybody.
///
/// - A byte stays when an entry goes: then the file system is asked in vain, which is right and costs a microsecond.
/// - A sweep that finds too many such bytes renews the filter. Bytes count in epochs: the sweep begins a new one, in
///   which all write from then on, writes the byte of each entry that it finds, and then lets the former ones no longer
///   count. Dying in between leaves more that counts, never less.
/// - A process that dies between an entry's appearance and the second byte, just while a sweep renews, leaves an entry
///   that is not found before the next sweep: a miss, and no wrong answer.
/// - The file is made once many look-ups were in vain, and says nothing before all entries have been written to it.
///   Where it cannot be made, or the file system does not keep mappings of all processes alike, look-ups cost a call.
/// - A folder that was removed or replaced by others is noticed within a second, and at once by whoever stores.
final class DiskFilter: Sendable {
    private let path: String
    private let state = Mutex(State())
    /// How often a record found the places of its key taken.
    let crowdedCount = Atomic<UInt64>(0)

    fileprivate struct State {
        var file: MappedFile?
        /// Until when a file that was there is taken to be there still, and one that was not to be missing.
        var nextCheck: ContinuousClock.Instant?
        var missCount = 0
        var readCount = 0
    }

    // The layout: "WIF" and the version; the newest and the oldest epoch that counts; whether all entries are in.
    private static let magic = Array("WIF2".utf8)
    private static let newestPlace = 4
    private static let oldestPlace = 5
    private static let completePlace = 6
    private static let firstSlot = 4096
    private static let slotCount = 1 << 20
    /// Where the copies of records begin.
    static let recordsStart = firstSlot + slotCount
    static let byteCount = recordsStart + recordsByteCount
    /// So many look-ups in vain are worth a file.
    private static let missesForFile = 64
    /// So many records read from attributes are too.
    private static let readsForFile = 512
    /// So many entries are too.
    private static let entriesForFile = 1000

    init(path: String) {
        self.path = path
    }

    /// `false` where there certainly is no entry.
    func mayContain(_ digest: DiskDigest) -> Bool {
        guard let file = currentFile() else { return true }
        // They are asked for after the file was opened, and come from far.
        Self.prefetchRecords(digest, file)
        guard file[Self.completePlace] == 1, !Self.counts(file, Self.slot(digest)) else { return true }
        // Nearly always so; the clock is read without a system call.
        return state.withLock { $0.current(path, isNeeded: true) } !== file
    }

    /// Notes an entry that is about to appear, or has. Costs a look at the file's name.
    func insert(_ digest: DiskDigest, isInPlace: Bool) {
        let file = state.withLock { state in
            // Before, a file that is not known needs no byte: whoever makes it meanwhile finds the entry, or is found.
            guard isInPlace || state.file != nil else { return nil as MappedFile? }
            if !isInPlace || state.file == nil { state.nextCheck = nil }
            return state.current(path, isNeeded: true)
        }
        if let file { Self.mark(file, digest) }
    }

    /// Counts a look-up in vain; makes the file, in the background, once that is worth it.
    func noteMiss(in folder: String) {
        count(\.missCount, upTo: Self.missesForFile, in: folder)
    }

    /// The same for a record that had to be read from an attribute.
    func noteRead(in folder: String) {
        count(\.readCount, upTo: Self.readsForFile, in: folder)
    }

    private func count(_ calls: WritableKeyPath<State, Int>, upTo enough: Int, in folder: String) {
        let isDue = state.withLock { state in
            guard state.file == nil else { return false }
            state[keyPath: calls] += 1
            return state[keyPath: calls] % enough == 0
        }
        guard isDue else { return }
        DispatchQueue.global(qos: .utility).async { self.make(in: folder) }
    }

    /// The file as it was when that was last looked at.
    func currentFile() -> MappedFile? {
        state.withLock { $0.current(path, isNeeded: false) }
    }

    /// Notes an entry that a sweep has found.
    func noteFound(_ digest: DiskDigest) {
        if let file = currentFile(), !Self.counts(file, Self.slot(digest)) { Self.mark(file, digest) }
    }

    /// Renews the file after a sweep where it tells too little, and makes it where there are many entries.
    func endSweep(of folder: String, entryCount: Int) {
        guard let file = currentFile() else {
            if entryCount >= Self.entriesForFile { make(in: folder) }
            return
        }
        let countingCount = (0..<Self.slotCount).count { Self.counts(file, Self.firstSlot + $0) }
        if file[Self.completePlace] != 1 || countingCount > entryCount + entryCount / 4 + Self.entriesForFile {
            renew(file, folder)
        }
    }

    /// Begins anew with the entries that are there now.
    func renew(in folder: String) {
        if let file = state.withLock({ $0.current(path, isNeeded: true) }) { renew(file, folder) }
    }

    /// Makes the file, unless it is there, and writes all entries to it.
    func make(in folder: String) {
        guard let temporary = try? newFile(in: folder) else { return }
        try? FileSystem.link(temporary, as: path)
        try? FileSystem.remove(temporary)
        let file = state.withLock { state in
            state.nextCheck = nil
            return state.current(path, isNeeded: true)
        }
        if let file, file[Self.completePlace] != 1 { renew(file, folder) }
    }

    /// Removes the file; look-ups go to the file system again.
    func remove() {
        try? FileSystem.remove(path)
        state.withLock { state in
            state = State()
        }
    }

    private func newFile(in folder: String) throws(SystemError) -> String {
        let unique = "\(FileSystem.processIdentifier)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let name = folder + "/" + DiskFileKind.temporaryName(DiskDigest((0, 0)), unique: unique)
        let file = try FileDescriptor(name, .createNew)
        do throws(SystemError) {
            guard Platform.hasCoherentMappings(file.number) else { throw .notRegular }
            try file.setLength(Self.byteCount)
            for (place, byte) in (Self.magic + [1, 1]).enumerated() { try file.write(byte, at: place) }
        } catch {
            try? FileSystem.remove(name)
            throw error
        }
        return name
    }

    /// Begins an epoch, writes all entries in it, and lets the former ones count no longer.
    private func renew(_ file: MappedFile, _ folder: String) {
        file.withLock {
            // Where the folder cannot be read, what is in it must not be taken for gone.
            guard let stream = try? DirectoryStream(folder) else { return }
            let (newest, oldest) = (file[Self.newestPlace], file[Self.oldestPlace])
            // Zero is what nobody wrote. Never as far as the oldest again: that would count twice.
            let next = newest == 255 ? 1 : newest + 1
            let epoch = next == oldest ? newest : next
            guard (try? file.write(epoch, at: Self.newestPlace)) != nil else { return }
            var isWhole = true
            unsafe stream.visit { name in
                guard let (kind, digest) = unsafe DiskFileKind.classify(name), kind == .body,
                    file[Self.slot(digest)] != epoch
                else { return }
                // A full disk may have no room for the byte.
                if (try? file.write(epoch, at: Self.slot(digest))) == nil { isWhole = false }
            }
            guard isWhole, file.isAt(path) else { return }
            try? file.write(epoch, at: Self.oldestPlace)
            try? file.write(1, at: Self.completePlace)
        }
    }

    private static func slot(_ digest: DiskDigest) -> Int {
        firstSlot + Int(digest.high >> 44)
    }

    private static func mark(_ file: MappedFile, _ digest: DiskDigest) {
        var epoch: UInt8
        repeat {
            epoch = file[newestPlace]
            if file[slot(digest)] != epoch { try? file.write(epoch, at: slot(digest)) }
            // A byte that comes late must not stand over that of an epoch begun meanwhile.
        } while file[newestPlace] != epoch
    }

    /// Whether the byte at a place is of the oldest epoch that counts or a later one.
    private static func counts(_ file: MappedFile, _ place: Int) -> Bool {
        while true {
            // In this order: a byte that was read before a renewal must not be measured by what counts after it.
            let oldest = file[oldestPlace]
            atomicMemoryFence(ordering: .acquiring)
            let byte = file[place]
            atomicMemoryFence(ordering: .acquiring)
            if isCounting(byte, oldest: oldest, newest: file[newestPlace]) { return true }
            atomicMemoryFence(ordering: .acquiring)
            if file[oldestPlace] == oldest { return false }
        }
    }

    private static func isCounting(_ byte: UInt8, oldest: UInt8, newest: UInt8) -> Bool {
        guard byte != 0 else { return false }
        return oldest <= newest ? oldest <= byte && byte <= newest : oldest <= byte || byte <= newest
    }
}

extension DiskFilter.State {
    /// The file that is there now, as far as that was looked at within the last second.
    fileprivate mutating func current(_ path: String, isNeeded: Bool) -> MappedFile? {
        if let nextCheck, !isNeeded || ContinuousClock.now < nextCheck { return file }
        if file?.isAt(path) != true { file = DiskFilter.open(path) }
        nextCheck = .now + .seconds(1)
        return file
    }
}

extension DiskFilter {
    fileprivate static func open(_ path: String) -> MappedFile? {
        guard let file = try? MappedFile(path, byteCount: byteCount),
            magic.indices.allSatisfy({ file[$0] == magic[$0] })
        else { return nil }
        return file
    }
}
