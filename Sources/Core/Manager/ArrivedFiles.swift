import Synchronization

/// A file that a loader brought, and when.
struct ArrivedFile: Sendable {
    let loaded: LoadedData
    let times: ExchangeTimes
}

/// The files that loaders brought while loads are under way that may want them: one that finds a file on disk neither
/// before it is written nor in time after that finds it here.
final class ArrivedFiles: Sendable {
    private struct Entry {
        var file: ArrivedFile?
        var loadCount: Int
    }

    private let entries = Mutex<[FileKey: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// Begins to wait for the file of a load, before that looks in the caches; `nil` for one that takes no such file.
    func enter(_ plan: LoadPlan) -> FileShare? {
        guard plan.sharesLate else { return nil }
        let key = FileKey(plan: plan)
        entries.withLock { $0[key, default: Entry(loadCount: 0)].loadCount += 1 }
        return FileShare(self, key)
    }

    /// The file of a load, where it has come.
    func file(for plan: LoadPlan) -> ArrivedFile? {
        plan.sharesLate ? entries.withLock { $0[FileKey(plan: plan)]?.file } : nil
    }

    /// Leaves a file to the loads that wait for it. A picture that no file brought is left to none: it may be made for
    /// the very size that was asked for.
    func put(_ file: ArrivedFile, for plan: LoadPlan) {
        guard plan.sharesLate, file.loaded.image == nil else { return }
        entries.withLock { entries in
            guard let index = entries.index(forKey: FileKey(plan: plan)) else { return }
            entries.values[index].file = file
        }
    }

    fileprivate func leave(_ key: FileKey) {
        // The file goes after unlocking.
        _ = entries.withLock { entries -> Entry? in
            guard let index = entries.index(forKey: key) else { return nil }
            entries.values[index].loadCount -= 1
            return entries.values[index].loadCount == 0 ? entries.remove(at: index).value : nil
        }
    }
}

/// One load's wish to have a file that another one gets.
final class FileShare: KeptShare {
    private let files: ArrivedFiles
    private let key: FileKey
    private let isReleased = Atomic(false)

    fileprivate init(_ files: ArrivedFiles, _ key: FileKey) {
        self.files = files
        self.key = key
    }

    func release() {
        if !isReleased.exchange(true, ordering: .relaxed) { files.leave(key) }
    }
}
