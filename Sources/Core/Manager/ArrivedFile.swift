import Synchronization

/// A file that a loader brought, and when.
final class ArrivedFile: KeptShare {
    let loaded: LoadedData
    let times: ExchangeTimes
    private let key: FileKey
    /// Where it is listed.
    private let list: ArrivedFiles?

    /// - Parameter list: Where others are to find it; `nil` for one that is for its own load alone.
    fileprivate init(_ loaded: LoadedData, _ times: ExchangeTimes, _ key: FileKey, in list: ArrivedFiles?) {
        self.loaded = loaded
        self.times = times
        self.key = key
        self.list = list
    }

    /// Once for each load that has it.
    func release() {
        list?.release(key)
    }
}

/// The files that loaders brought and that are in no cache yet: loads that come meanwhile, and want something else made
/// of them, find them here.
final class ArrivedFiles: Sendable {
    private struct Listed {
        let file: ArrivedFile
        var keeperCount = 1
    }

    private let files = Mutex<[FileKey: Listed]>([:])

    var count: Int { files.withLock { $0.count } }

    /// A file that just came; the one that came before it, where there is one. The caller has to release it.
    func add(_ loaded: LoadedData, _ times: ExchangeTimes, for plan: LoadPlan) -> ArrivedFile {
        let key = FileKey(plan: plan)
        // A picture that no file brought may be made for the very size that was asked for.
        guard plan.sharesLate, loaded.image == nil else { return ArrivedFile(loaded, times, key, in: nil) }
        return files.withLock { files in
            if let known = Self.keep(key, &files) { return known }
            let file = ArrivedFile(loaded, times, key, in: self)
            files[key] = Listed(file: file)
            return file
        }
    }

    /// The file that a load wants, which it has to release then.
    func file(for plan: LoadPlan) -> ArrivedFile? {
        guard plan.sharesLate else { return nil }
        return files.withLock { Self.keep(FileKey(plan: plan), &$0) }
    }

    private static func keep(_ key: FileKey, _ files: inout [FileKey: Listed]) -> ArrivedFile? {
        guard let index = files.index(forKey: key) else { return nil }
        files.values[index].keeperCount += 1
        return files.values[index].file
    }

    fileprivate func release(_ key: FileKey) {
        // The file goes after unlocking.
        _ = files.withLock { files -> ArrivedFile? in
            guard let index = files.index(forKey: key) else { return nil }
            files.values[index].keeperCount -= 1
            return files.values[index].keeperCount == 0 ? files.remove(at: index).value.file : nil
        }
    }
}
