import WebImage
import WebImageFoundation

extension CacheAction {
    static let export = CacheAction(name: "export", takesOperands: true) { job async throws(UsageError) in
        guard let path = job.operands.first else { throw UsageError("name the folder to copy to") }
        let (entries, missingCount) = chosen(job)
        let sources = entries.map { PictureSource($0.metadata?.url ?? $0.key ?? $0.path) }
        let folder = OutputFolder(path, sources: sources, format: nil)
        guard job.attempt(path, { () throws(ImageError) in try folder.prepare() }) else { return .failure }
        var amount = CacheAmount(count: 0, byteCount: 0)
        var failureCount = missingCount
        for (number, entry) in entries.enumerated() {
            do throws(ImageError) {
                let name = try await folder.write(picture: number) { contents(of: entry) }
                amount.count += 1
                amount.byteCount += entry.byteCount
                job.print(
                    "\(name)  \(PictureSource.displayName(sources[number].text))",
                    [.init("key", JSONValue(entry.key)), .init("file", .string(name))])
            } catch {
                job.console.report(Failure(error, of: sources[number].text))
                failureCount += 1
            }
        }
        if !job.asJSON { job.console.print("copied " + amount.text) }
        return ExitStatus(failureCount: failureCount)
    }

    /// The entries that are named, or all; those that are named and not there are told.
    private static func chosen(_ job: CacheJob) -> (entries: [DiskCacheEntry], missingCount: Int) {
        let entries = job.disk.entries().filter { $0.key != nil }
        let names = Set(job.operands.dropFirst())
        guard !names.isEmpty else { return (entries, 0) }
        let missing = names.subtracting(entries.compactMap(\.key)).sorted()
        for name in missing {
            job.console.report("webimage: \(PictureSource.displayName(name)): cache: not in the cache")
        }
        return (entries.filter { names.contains($0.key ?? "") }, missing.count)
    }

    private static func contents(of entry: DiskCacheEntry) -> Result<Data, ImageError> {
        do throws(SystemFault) {
            return .success(try FileSystem.contents(of: entry.path))
        } catch {
            return .failure(ImageError(.fileNotReadable, .cache, "cannot read \(entry.path): \(error.reason)"))
        }
    }
}
