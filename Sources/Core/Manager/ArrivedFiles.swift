import Synchronization

/// A file that a loader brought, when, and by which header fields. A class, since every step of a load that waits for
/// it would hold a copy.
final class ArrivedFile: Sendable {
    let loaded: LoadedData
    let times: ExchangeTimes
    private let requestHeaders: HTTPHeaders

    init(loaded: LoadedData, times: ExchangeTimes, requestHeaders: HTTPHeaders) {
        self.loaded = loaded
        self.times = times
        self.requestHeaders = requestHeaders
    }

    /// What to keep of the server's answer; `nil` where none answered.
    func validators() -> DiskMetadata.Validators? {
        guard let response = loaded.response else { return nil }
        var validators = DiskMetadata.Validators(response, request: requestHeaders, times: times)
        validators.bodyDigest = BodyDigest(loaded.data).text
        return validators
    }
}

/// The files that loaders bring while loads are under way that may want them: each is got once, and one that finds a
/// file on disk neither before it is written nor in time after that finds it here.
///
/// A loader may share calls too, but stops before those who called know of the end; who calls then would start anew.
final class ArrivedFiles: Sendable {
    /// Calls of the loader for one file.
    typealias Calls = SharedWork<Whole, ArrivedFile>

    /// What there is to share of a file.
    enum Whole: Hashable {
        case file
    }

    private struct Entry {
        let calls = Calls(stage: .load)
        var loadCount = 0
    }

    private let entries = Mutex<[FileKey: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// How many wait for each file for which someone waits.
    var waiterCounts: [Int] { entries.withLock { $0.values.flatMap { $0.calls.waiterCounts } } }

    /// Begins to wait for the file of a load, before that looks in the caches; `nil` for one that takes no such file.
    func enter(_ plan: LoadPlan) -> KeptShare? {
        guard plan.sharesLate else { return nil }
        let key = FileKey(plan: plan)
        entries.withLock { $0[key, default: Entry()].loadCount += 1 }
        let share = FileShare(self, key)
        return KeptShare { share.release() }
    }

    /// Through which a load that has entered gets its file; `nil` for one that gets it by itself.
    func calls(for plan: LoadPlan) -> Calls? {
        plan.sharesLate ? entries.withLock { $0[FileKey(plan: plan)]?.calls } : nil
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
private final class FileShare: Sendable {
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
