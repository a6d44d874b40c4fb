import Dispatch
import Synchronization
public import WebImageFoundation

/// Keeps the beginnings of interrupted downloads on disk, so that they go on where they ended, after a restart too.
///
/// Only what the server can name by a strong validator is kept, and it is used once: whoever goes on with it takes it
/// out. Several processes may share one folder. Nothing is read or written on the thread of a caller.
public final class ResumeStore: Sendable {
    private let disk: DiskCache
    private let queue = DispatchQueue(label: "webimage.resume", qos: .utility)
    /// The names of the files that may be there; `nil` until the folder was read.
    private let names = Mutex<Set<String>?>(nil)

    /// - Parameters:
    ///   - folder: Made when something is first kept, for the owner only; nothing else may lie there. By default
    ///     `.resume` in `ImageCache.defaultDirectory`.
    ///   - maxByteCount: The most bytes of all beginnings; when there are more, the oldest go until half of it is left.
    ///   - maxAge: How long a beginning is kept.
    ///   - wallClock: Tells the date, for that.
    public init(
        folder: URL? = nil, maxByteCount: Int = 64 << 20, maxAge: Duration = .seconds(24 * 60 * 60),
        wallClock: any WallClock = .system
    ) {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskSize = max(1, maxByteCount)
        configuration.maxDiskAge = max(maxAge, .zero)
        configuration.expiry = .modificationDate
        configuration.verifiesDigestOnRead = true
        let folder = folder ?? ImageCache.defaultDirectory.appending(path: ".resume", directoryHint: .isDirectory)
        var path = folder.path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        disk = DiskCache(folder: path, configuration: configuration, wallClock: wallClock)
        queue.async { [self] in
            let found = Set((try? FileSystem.names(in: disk.folder)) ?? [])
            names.withLock { $0 = found.union($0 ?? []) }
        }
    }

    /// Takes out what is kept for a request.
    ///
    /// - Parameter completion: Before this returns where there is nothing for sure, else on a queue of the store.
    func take(_ request: HTTPRequest, completion: @escaping @Sendable (PartialBody?) -> Void) {
        guard let key = Self.key(request) else { return completion(nil) }
        let name = DiskAddress(key).fileName
        guard names.withLock({ $0?.contains(name) ?? true }) else { return completion(nil) }
        queue.async { [self] in
            let entry = (try? disk.data(for: key)) ?? nil
            if entry != nil { try? disk.remove(key) }
            _ = names.withLock { $0?.remove(name) }
            completion(entry.flatMap(PartialBody.init))
        }
    }

    /// Keeps the beginning of the answer to a request; when it cannot, nothing is kept.
    func put(_ partial: PartialBody, for request: HTTPRequest) {
        guard let key = Self.key(request), partial.data.count <= disk.configuration.maxDiskSize / 2 else { return }
        _ = names.withLock { $0?.insert(DiskAddress(key).fileName) }
        queue.async { [disk] in
            try? disk.store(partial.data, for: key, metadata: DiskMetadata(partial))
            disk.removeExpired()
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

extension PartialBody {
    fileprivate init?(_ entry: CachedData) {
        guard let url = entry.metadata.url, let validator = entry.metadata.validators.etag else { return nil }
        let total = entry.metadata.extendedData.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard !entry.data.isEmpty, total.map({ entry.data.count < $0 }) ?? true else { return nil }
        self.init(data: entry.data, url: url, validator: validator, totalByteCount: total)
    }
}

extension DiskMetadata {
    fileprivate init(_ partial: PartialBody) {
        self.init(url: partial.url, extendedData: partial.totalByteCount.map { Data("\($0)".utf8) })
        validators.etag = partial.validator
    }
}
