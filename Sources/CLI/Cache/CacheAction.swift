import WebImage
import WebImageFoundation

/// Something that `webimage cache` does.
struct CacheAction: Sendable {
    let name: String
    var takesOperands = false
    /// Those that go with this action and not with all.
    var options: [OptionDeclaration] = []
    /// Whether it looks at what is in the folder.
    var readsFolder = true
    let run: @Sendable (CacheJob) async throws(UsageError) -> ExitStatus

    static let all: [CacheAction] = [path, list, size, trim, verify, clear, pin, export]

    private static let path = CacheAction(name: "path", readsFolder: false) { job in
        job.print(job.disk.folder, [.init("path", .string(job.disk.folder))])
        return .success
    }

    private static let list = CacheAction(name: "ls") { job in
        for entry in job.disk.entries() { job.console.print(job.asJSON ? entry.json.text : entry.line) }
        return .success
    }

    private static let size = CacheAction(name: "size") { job in
        let amount = CacheAmount.of(job.disk)
        job.print(amount.text, amount.members)
        return .success
    }

    private static let trim = CacheAction(
        name: "trim", options: [ValueOption.maxAge.declaration, ValueOption.maxSize.declaration]
    ) { job in
        let before = CacheAmount.of(job.disk)
        job.disk.removeExpired()
        let after = CacheAmount.of(job.disk)
        let removed = before - after
        job.print(
            "removed \(removed.text); left \(after.text)",
            [.init("removed", .object(removed.members)), .init("left", .object(after.members))])
        return .success
    }

    private static let clear = CacheAction(name: "clear", options: [ValueOption.tag.declaration]) { job in
        let before = CacheAmount.of(job.disk)
        let isDone = job.attempt(job.disk.folder) { () throws(ImageError) in
            if let tag = job.tag { try job.disk.removeAll(tag: tag) } else { try job.disk.removeAll() }
        }
        guard isDone else { return .failure }
        let removed = before - CacheAmount.of(job.disk)
        job.print("removed " + removed.text, removed.members)
        return .success
    }
}

extension DiskCacheEntry {
    /// `  18.4 kB  2026-07-30 09:19  https://example.org/a.png`, with a `*` before the name of a pinned picture.
    fileprivate var line: String {
        let bytes = Quantity.bytes(byteCount)
        let gap = String(repeating: " ", count: max(0, 9 - bytes.count))
        let name = PictureSource.displayName(key ?? "(no key) " + path)
        return "\(gap)\(bytes)  \(Self.minute(accessed)) \(isPinned ? "*" : " ")\(name)"
    }

    fileprivate var json: JSONValue {
        .object([
            .init("key", JSONValue(key)),
            .init("url", JSONValue(metadata?.url)),
            .init("contentType", JSONValue(metadata?.contentType)),
            .init("bytes", .integer(byteCount)),
            .init("stored", .string(Self.date(modified).formatted(.iso8601))),
            .init("accessed", .string(Self.date(accessed).formatted(.iso8601))),
            .init("pinned", .bool(isPinned)),
            .init("path", .string(path)),
        ])
    }

    /// In UTC, to the minute.
    private static func minute(_ time: WallTime) -> String {
        let text = date(time).formatted(.iso8601)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    }

    private static func date(_ time: WallTime) -> Date {
        Date(timeIntervalSince1970: Double(time.seconds))
    }
}
