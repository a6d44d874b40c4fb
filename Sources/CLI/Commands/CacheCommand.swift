import WebImage
import WebImageFoundation

extension Command {
    static let cache = Command(
        name: "cache",
        summary: "Look after the cache on disk.",
        operands: "path|ls|size|clear",
        paragraphs: [
            "path prints the folder of the cache; ls lists its pictures, the last used first; size counts them and "
                + "their bytes; clear removes them all.",
            "The folder is $XDG_CACHE_HOME/webimage/default, or ~/.cache/webimage/default where the variable is not "
                + "set. Any number of processes may use it at once.",
        ],
        options: [.json],
        examples: [
            Example("webimage cache ls", "Lists what is in the cache."),
            Example("XDG_CACHE_HOME=/tmp/mine webimage cache clear", "Empties another cache."),
        ],
        run: { (arguments, console) async throws(UsageError) in
            let actions = Dictionary(uniqueKeysWithValues: CacheAction.allCases.map { ($0.rawValue, $0) })
            guard let name = arguments.operands.first else {
                throw UsageError("say what to do: path, ls, size or clear")
            }
            guard let action = actions[name] else {
                throw UsageError(unknown: "action", name, known: CacheAction.allCases.map(\.rawValue))
            }
            guard arguments.operands.count == 1 else { throw UsageError("cache \(name) takes nothing more") }
            return action.run(DiskCache(folder: ImageCache.shared.disk.folder), asJSON: arguments.has(.json), console)
        })
}

private enum CacheAction: String, CaseIterable {
    case path
    case list = "ls"
    case size
    case clear

    func run(_ disk: DiskCache, asJSON: Bool, _ console: Console) -> ExitStatus {
        switch self {
        case .path:
            console.print(asJSON ? JSONValue.object([.init("path", .string(disk.folder))]).text : disk.folder)
        case .list:
            for entry in disk.entries() { console.print(asJSON ? entry.json.text : entry.line) }
        case .size:
            console.print(Self.sum(disk.totalCount, disk.totalSize, asJSON))
        case .clear:
            return clear(disk, asJSON, console)
        }
        return .success
    }

    private func clear(_ disk: DiskCache, _ asJSON: Bool, _ console: Console) -> ExitStatus {
        let (count, byteCount) = (disk.totalCount, disk.totalSize)
        do throws(ImageError) {
            try disk.removeAll()
            console.print(asJSON ? Self.sum(count, byteCount, asJSON) : "removed " + Self.sum(count, byteCount, asJSON))
            return .success
        } catch {
            console.report(Failure(error, of: disk.folder))
            return .failure
        }
    }

    private static func sum(_ count: Int, _ byteCount: Int, _ asJSON: Bool) -> String {
        guard asJSON else { return "\(Quantity.count(count, "picture")), \(Quantity.bytes(byteCount))" }
        return JSONValue.object([.init("count", .integer(count)), .init("bytes", .integer(byteCount))]).text
    }
}

extension DiskCacheEntry {
    /// `  18.4 kB  2026-07-30 09:19  https://example.org/a.png`.
    fileprivate var line: String {
        let bytes = Quantity.bytes(byteCount)
        let gap = String(repeating: " ", count: max(0, 9 - bytes.count))
        return "\(gap)\(bytes)  \(Self.minute(accessed))  \(PictureSource.displayName(key ?? "(no key) " + path))"
    }

    fileprivate var json: JSONValue {
        .object([
            .init("key", JSONValue(key)),
            .init("url", JSONValue(metadata?.url)),
            .init("contentType", JSONValue(metadata?.contentType)),
            .init("bytes", .integer(byteCount)),
            .init("stored", .string(Self.date(modified).formatted(.iso8601))),
            .init("accessed", .string(Self.date(accessed).formatted(.iso8601))),
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
