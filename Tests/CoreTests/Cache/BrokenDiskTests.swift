import Foundation
import Synchronization
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

/// Loads whose disk cannot be written: they succeed from the network, and the fault is told once.
@Suite(.timeLimit(.minutes(20))) struct BrokenDiskTests {
    private let folder = try! CacheTestFolder()
    private let loader = FakeLoader()
    private let coder = FakeCoder()
    private let warnings = Warnings()

    private final class Warnings: Sendable {
        private let errors = Mutex<[ImageError]>([])
        var all: [ImageError] { errors.withLock { $0 } }
        @Sendable func add(_ error: ImageError) { errors.withLock { $0.append(error) } }
    }

    private func manager() -> ImageManager {
        var configuration = ImageCacheConfiguration()
        configuration.onWarning = warnings.add
        let cache = ImageCache(directory: folder.url, configuration: configuration, coder: coder, clock: ManualClock())
        return ImageManager(cache: cache, loader: loader, coder: coder)
    }

    /// Loads four pictures of so many bytes, and gives what could not be stored.
    private func loadAll(
        _ byteCount: Int, at sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [ImageError] {
        let manager = manager()
        var errors: [ImageError] = []
        for index in 0..<4 {
            let url = URL(string: "https://h/\(index).png")!
            let data = Data(repeating: UInt8(index), count: byteCount)
            loader.script(url, .data(data))
            coder.script(data, .success(cacheTestImage(shade: UInt8(index))))
            let result = try await manager.image(from: url, options: .waitStoreCache)
            #expect(result.source == .network && result.data == data, sourceLocation: sourceLocation)
            if let error = result.storeError { errors.append(error) }
            // And again, though the disk has nothing.
            #expect(try await manager.image(from: url).source == .memory, sourceLocation: sourceLocation)
        }
        return errors
    }

    @Test("B04 a file where the folder should be: loads succeed, one warning, the file stays")
    func B04_noFolder() async throws {
        try Data([1]).write(to: folder.url.appending(path: "default"))
        #expect(try await loadAll(100).count == 4)
        #expect(warnings.all.map(\.code) == [.storeFailed])
        #expect(folder.names() == ["default"])
    }

    @Test(
        "B04 a read-only disk: loads succeed, one warning",
        .enabled(if: geteuid() == 0, "only root may mount"))
    func B04_readOnly() async throws {
        let disk = folder.path + "/default"
        guard try MemoryDisk.mount(at: disk, "size=64k,ro") else { return print("B04: mount is not allowed here") }
        defer { MemoryDisk.unmount(disk) }
        #expect(try await loadAll(100).count == 4)
        #expect(warnings.all.map(\.code) == [.storeFailed])
        #expect(warnings.all.first?.message.contains("let this user write to the folder") == true)
    }

    @Test(
        "B04 a full disk: loads succeed, one warning, nothing half-written stays",
        .enabled(if: geteuid() == 0, "only root may mount"))
    func B04_full() async throws {
        let disk = folder.path + "/default"
        guard try MemoryDisk.mount(at: disk, "size=64k") else { return print("B04: mount is not allowed here") }
        defer { MemoryDisk.unmount(disk) }
        #expect(try await loadAll(100_000).count == 4)
        #expect(warnings.all.map(\.code) == [.storeFailed])
        #expect(warnings.all.first?.message.contains("free some space") == true)
        #expect(folder.names("default").isEmpty)
    }
}
