import WebImage
import WebImageFoundation

/// What `webimage cache` was asked to do, and to which cache.
struct CacheJob: Sendable {
    let disk: DiskCache
    /// What follows the action.
    let operands: [String]
    let asJSON: Bool
    let removesPin: Bool
    let isDryRun: Bool
    let tag: String?
    let console: Console

    init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
        var configuration = ImageCacheConfiguration()
        if let age = try arguments.value(of: .maxAge) { configuration.maxDiskAge = age }
        if let size = try arguments.value(of: .maxSize) { configuration.maxDiskSize = size }
        let namespace = try arguments.value(of: .namespace) ?? "default"
        disk = DiskCache(folder: ImageCache.folder(namespace: namespace), configuration: configuration)
        operands = Array(arguments.operands.dropFirst())
        asJSON = arguments.has(.json)
        removesPin = arguments.has(.removePin)
        isDryRun = arguments.has(.dryRun)
        tag = try arguments.value(of: .tag)
        self.console = console
    }

    /// A line for a person or an object for a machine.
    func print(_ line: @autoclosure () -> String, _ members: @autoclosure () -> [JSONValue.Member]) {
        console.print(asJSON ? JSONValue.object(members()).text : line())
    }

    /// Tells a folder that cannot be looked into from one that has nothing in it or is not there.
    func checkFolder() throws(ImageError) {
        do throws(SystemFault) {
            try FileSystem.checkListing(disk.folder)
        } catch {
            throw ImageError(.fileNotReadable, .cache, "cannot list the folder: \(error.reason)")
        }
    }

    /// Runs what may fail, and tells that.
    func attempt(_ source: String, _ work: () throws(ImageError) -> Void) -> Bool {
        do throws(ImageError) {
            try work()
            return true
        } catch {
            console.report(Failure(error, of: source))
            return false
        }
    }
}

/// How many pictures, and how large they are together.
struct CacheAmount {
    var count: Int
    var byteCount: Int

    static func of(_ disk: DiskCache) -> CacheAmount {
        CacheAmount(count: disk.totalCount, byteCount: disk.totalSize)
    }

    static func - (first: CacheAmount, second: CacheAmount) -> CacheAmount {
        // Others may store meanwhile.
        CacheAmount(count: max(0, first.count - second.count), byteCount: max(0, first.byteCount - second.byteCount))
    }

    var text: String { "\(Quantity.count(count, "picture")), \(Quantity.bytes(byteCount))" }
    var members: [JSONValue.Member] { [.init("count", .integer(count)), .init("bytes", .integer(byteCount))] }
}
