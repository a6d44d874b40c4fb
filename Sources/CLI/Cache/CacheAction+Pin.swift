import WebImage
import WebImageFoundation

extension CacheAction {
    static let pin = CacheAction(
        name: "pin", takesOperands: true, options: [ValueOption.tag.declaration, .removePin], readsFolder: false
    ) { job async throws(UsageError) in
        guard !job.operands.isEmpty else { throw UsageError("name at least one URL to pin") }
        var failureCount = 0
        for operand in job.operands {
            let isDone = job.attempt(operand) { () throws(ImageError) in
                let key = try key(operand)
                let tag = job.tag ?? ""
                if job.removesPin { try job.disk.unpin(key, tag: tag) } else { try job.disk.pin(key, tag: tag) }
                let isThere = job.disk.contains(key)
                let done = job.removesPin ? "unpinned" : isThere ? "pinned" : "pinned, not fetched yet"
                job.print(
                    "\(done): \(PictureSource.displayName(operand))",
                    [
                        .init("key", .string(key.text)), .init("pinned", .bool(job.disk.isPinned(key))),
                        .init("cached", .bool(isThere)),
                    ])
            }
            failureCount += isDone ? 0 : 1
        }
        return ExitStatus(failureCount: failureCount)
    }

    private static func key(_ operand: String) throws(ImageError) -> CacheKey {
        let url = try PictureSource(operand).requiredURL()
        let isLocal = ["file", "data"].contains(url.scheme?.lowercased())
        guard !isLocal, let host = url.host(), !host.isEmpty else {
            throw ImageError(
                .invalidURL, .request,
                "only what is fetched is kept in the cache; give a URL such as https://example.org/a.png")
        }
        guard let key = ImageManager.shared.cacheKey(for: ImageRequest(url)) else {
            throw ImageError(.invalidURL, .request, "this is not a valid URL; percent-encode what is special in it")
        }
        return key
    }
}
