import Dispatch
import Synchronization
public import WebImageFoundation

/// Keeps the beginnings of interrupted downloads on disk, so that they go on where they ended, after a restart too.
///
/// Only what the server can name by a strong validator is kept. A body of a megabyte or more, or of a length that is
/// not known, is put on disk while it arrives: of one whose process is killed, all but about the last quarter of a
/// megabyte is there for the next. Shorter ones are written when their download is interrupted or cancelled. A disk
/// that is slow, full or read-only costs no download anything. When a machine loses its power, the system may not yet
/// have written the last half minute; what is there is checked by digests and is good.
///
/// Several processes may share one folder; no two of them go on with one beginning. Nothing is read or written on the
/// thread of a caller.
public final class ResumeStore: Sendable {
    private struct State {
        /// The keys of the files that may be there; `nil` until the folder was read.
        var digests: Set<DiskDigest>?
        /// Of all files when the folder was last read, and what this process has added since.
        var (foundByteCount, addedByteCount) = (0, 0)
        /// What memory holds of downloads that are over, until it is on disk; and of which keys it is, how many times.
        var heldByteCount = 0
        var heldDigests: [DiskDigest: Int] = [:]

        func mayHave(_ digest: DiskDigest) -> Bool {
            heldDigests[digest] != nil || digests?.contains(digest) ?? true
        }

        var hasNothing: Bool { heldDigests.isEmpty && digests?.isEmpty ?? false }

        var byteCount: Int { foundByteCount + addedByteCount }
    }

    private let folder: String
    private let maxByteCount: Int
    private let maxAge: Duration
    private let wallClock: any WallClock
    private let queue = DispatchQueue(label: "webimage.resume", qos: .utility)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: Made when something is first kept, for the owner only; nothing else may lie there. By default
    ///     `.resume` in `ImageCache.defaultDirectory`.
    ///   - maxByteCount: The most bytes of all beginnings; when there are more, the oldest go until half of it is left.
    ///     Of one body at most half of it is kept. What other processes write at the same time may come to it.
    ///   - maxAge: How long a beginning is kept after the last byte came.
    ///   - wallClock: Tells the date, for that.
    public init(
        folder: URL? = nil, maxByteCount: Int = 64 << 20, maxAge: Duration = .seconds(24 * 60 * 60),
        wallClock: any WallClock = .system
    ) {
        let folder = folder ?? ImageCache.defaultDirectory.appending(path: ".resume", directoryHint: .isDirectory)
        var path = folder.path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.folder = path
        self.maxByteCount = max(1, maxByteCount)
        self.maxAge = max(maxAge, .zero)
        self.wallClock = wallClock
        queue.async { [self] in sweep() }
    }

    /// The most of one body.
    var maxBeginningByteCount: Int { maxByteCount / 2 }

    /// Takes what is kept for a request, and its file, so that nobody else has it.
    ///
    /// - Parameter completion: Before this returns where there is nothing for sure, else on a queue of the store.
    func take(
        _ request: HTTPRequest, completion: @escaping @Sendable ((file: PartialFile, body: PartialBody)?) -> Void
    ) {
        guard !state.withLock({ $0.hasNothing }), let key = Self.key(request) else { return completion(nil) }
        let digest = Self.digest(key)
        guard state.withLock({ $0.mayHave(digest) }) else { return completion(nil) }
        queue.async { [self] in completion(longest(of: key, digest)) }
    }

    /// Runs work on files, one after the other.
    func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Whether what is left of a download may be held in memory until it is on disk: whatever the disk does, no more
    /// than may be kept. Whoever takes from now on waits for it.
    func hold(_ partial: PartialBody, of request: HTTPRequest) -> Bool {
        guard let digest = Self.key(request).map(Self.digest) else { return false }
        let byteCount = partial.data.count
        return state.withLock { state in
            guard state.heldByteCount == 0 || state.heldByteCount + byteCount <= maxByteCount else { return false }
            state.heldByteCount += byteCount
            state.heldDigests[digest, default: 0] += 1
            return true
        }
    }

    /// It is on disk, or never will be.
    func letGo(_ partial: PartialBody, of request: HTTPRequest) {
        guard let digest = Self.key(request).map(Self.digest) else { return }
        state.withLock { state in
            state.heldByteCount -= partial.data.count
            let count = state.heldDigests[digest, default: 1] - 1
            state.heldDigests[digest] = count == 0 ? nil : count
        }
    }

    /// Returns when all that was asked before is done.
    func settle() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    /// All that the answer may depend on, secrets as a digest only; `nil` for a request that cannot be continued.
    static func key(_ request: HTTPRequest) -> CacheKey? {
        guard request.isResumable else { return nil }
        let headers = request.headers.fields.map { "\($0.name.lowercased()):\($0.value.utf8.count):\($0.value)" }
        let secret = "\(request.url.user ?? "")\n\(request.url.password ?? "")\n\(headers.joined(separator: "\n"))"
        return CacheKey(request.url.withoutCredentials, fragments: ["Partial(\(Digest.sha256.hexadecimal(secret)))"])
    }

    private static func digest(_ key: CacheKey) -> DiskDigest {
        DiskDigest(Digest.md5.words(key.text))
    }
}

// MARK: Files

extension ResumeStore {
    /// What the name of a file ends with; before that are the digest of its key and a number of its own.
    private static let ending = ".partial"

    /// A new file, which only the caller writes to. Called on the queue.
    func makeFile(for request: HTTPRequest, _ identity: BodyIdentity) throws(SystemError) -> PartialFile {
        guard let key = Self.key(request) else { throw .notPermitted }
        sweep()
        let digest = Self.digest(key)
        let path = path("\(digest.text).\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.ending)")
        let file: PartialFile
        do {
            file = try PartialFile(path, key, identity)
        } catch {
            guard error == .noSuchFile else { throw error }
            try FileSystem.makeFolder(folder)
            file = try PartialFile(path, key, identity)
        }
        _ = state.withLock { $0.digests?.insert(digest) }
        return file
    }

    /// Called on the queue.
    func append(_ bytes: Data, to file: PartialFile) throws(SystemError) {
        try makeRoom(for: bytes.count)
        // The system's own date is as good, where that is the clock.
        try file.append(bytes, at: wallClock is SystemWallClock ? nil : wallClock.now)
    }

    /// Called on the queue.
    func remove(_ file: PartialFile, of request: HTTPRequest) {
        file.remove()
        guard let key = Self.key(request) else { return }
        state.withLock { state in
            state.digests?.remove(Self.digest(key))
            state.addedByteCount -= file.byteCount
        }
    }

    /// The longest of what is kept for a key; the others, which two processes at once have left, go.
    private func longest(of key: CacheKey, _ digest: DiskDigest) -> (file: PartialFile, body: PartialBody)? {
        let names = ((try? FileSystem.names(in: folder)) ?? []).filter {
            $0.hasPrefix(digest.text) && $0.hasSuffix(Self.ending)
        }
        if names.isEmpty { _ = state.withLock { $0.digests?.remove(digest) } }
        var longest: (file: PartialFile, body: PartialBody)?
        for name in names where !isTooOld(name) {
            guard let next = PartialFile.open(path(name), key, maxByteCount: maxByteCount) else { continue }
            let isLonger = next.body.data.count > longest?.body.data.count ?? 0
            (isLonger ? longest?.file : next.file)?.remove()
            if isLonger { longest = next }
        }
        return longest
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)" }
}

// MARK: Limits

extension ResumeStore {
    /// Sees to it that so many bytes more are within the limit, or throws. The folder is looked at again each time that
    /// a sixteenth of it was added, as others may write there too.
    private func makeRoom(for byteCount: Int) throws(SystemError) {
        let (total, added) = state.withLock { state in
            state.addedByteCount += byteCount
            return (state.byteCount, state.addedByteCount)
        }
        guard total > maxByteCount || added > maxByteCount / 16 else { return }
        sweep(makingRoomFor: byteCount)
        guard state.withLock({ $0.byteCount }) + byteCount <= maxByteCount else { throw .noSpace }
    }

    /// Removes what is too old, and the oldest where there is too much; what somebody writes to stays.
    private func sweep(makingRoomFor byteCount: Int = 0) {
        var found: [(name: String, status: FileStatus)] = []
        for name in (try? FileSystem.names(in: folder)) ?? [] where name.hasSuffix(Self.ending) {
            guard let status = try? FileSystem.status(path(name)) else { continue }
            if isTooOld(name), PartialFile.removeUnused(path(name)) { continue }
            found.append((name, status))
        }
        var total = found.reduce(0) { $0 + $1.status.byteCount }
        if total + byteCount > maxByteCount {
            found.sort { $0.status.modified < $1.status.modified }
            found.removeAll { file in
                guard total > maxByteCount / 2, PartialFile.removeUnused(path(file.name)) else { return false }
                total -= file.status.byteCount
                return true
            }
        }
        state.withLock { state in
            state.digests = Set(found.compactMap { DiskFileKind.classify($0.name)?.digest })
            (state.foundByteCount, state.addedByteCount) = (total, 0)
        }
    }

    /// One of the future, from before the clock was set back, would be kept for ever.
    private func isTooOld(_ name: String) -> Bool {
        guard let status = try? FileSystem.status(path(name)) else { return false }
        let now = wallClock.now
        return status.modified <= now.subtracting(maxAge) || status.modified > now.subtracting(.seconds(-60))
    }
}

extension HTTPRequest {
    /// Whether an answer that is interrupted may be continued: not one with conditions or a range of the caller's own,
    /// and not one that depends on cookies, which change.
    var isResumable: Bool {
        method == "GET" && body == nil && cookieJar == nil
            && ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
                .allSatisfy { headers[$0] == nil }
    }
}
