import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite(.serialized) struct ImageCacheFolderTests {
    @Test("CA-43a default folder: namespace appended, may be changed, nil resets")
    func CA_43a_defaultDirectory() throws {
        let folder = try CacheTestFolder()
        let standard = ImageCache.defaultDirectory
        #expect(standard.lastPathComponent == "webimage")
        let path = standard.path(percentEncoded: false)
        let cache = ImageCache(namespace: "one", coder: CodersManager(), clock: ManualClock())
        #expect(cache.disk.folder == path + "/one" || cache.disk.folder == path + "one")
        ImageCache.setDefaultDirectory(folder.url)
        let again = ImageCache(namespace: "one", coder: CodersManager(), clock: ManualClock())
        #expect(again.disk.folder == folder.path + "/one")
        #expect(ImageCache(coder: CodersManager(), clock: ManualClock()).disk.folder == folder.path + "/default")
        ImageCache.setDefaultDirectory(nil)
        #expect(ImageCache.defaultDirectory == standard)
        #expect(folder.names().isEmpty)
    }

    @Test(
        arguments: [
            (["XDG_CACHE_HOME": "/x"], "/x/webimage"), ([:], "/home/u/.cache/webimage"),
            (["XDG_CACHE_HOME": "relative"], "/home/u/.cache/webimage"),
            (["XDG_CACHE_HOME": ""], "/home/u/.cache/webimage"),
        ])
    func standardFolder(environment: [String: String], expected: String) {
        #expect(CacheFolder.standard(environment: environment, home: "/home/u") == expected)
    }

    @Test(
        arguments: [
            ("a", "/d/a"), ("a b", "/d/a b"), ("../x", "/d/%2E.%2Fx"), ("..", "/d/%2E."), (".", "/d/%2E"), ("", "/d/%"),
            ("a/b", "/d/a%2Fb"), ("a%2Fb", "/d/a%252Fb"),
        ])
    func aNamespaceIsOneName(namespace: String, expected: String) {
        for directory in ["/d", "/d/"] {
            #expect(CacheFolder.path(namespace: namespace, in: URL(filePath: directory)) == expected)
        }
    }

    // Apart from the others: the name of an argument is printed, and a log with a NUL is no text.
    @Test func aNamespaceHasNoNUL() {
        #expect(CacheFolder.path(namespace: "a\0", in: URL(filePath: "/d")) == "/d/a%00")
    }
}

@Suite struct ImageCacheSweepTimerTests {
    private let folder = try! CacheTestFolder()
    private let wallClock = CacheTestWallClock()

    private func cache(_ clock: ManualClock) -> ImageCache {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskAge = .seconds(60)
        return ImageCache(
            directory: folder.url, configuration: configuration, coder: CodersManager(), clock: clock,
            wallClock: wallClock)
    }

    @Test func theFirstSweepComesSoonAndOthersFollow() async throws {
        let clock = ManualClock()
        let cache = cache(clock)
        for delay in [Duration.seconds(30), .seconds(30 * 60), .seconds(30 * 60)] {
            // The sleep begins when the sweep before is over.
            await clock.waitForSleepers(1)
            #expect(cache.totalDiskCount == 0)
            try await cache.storeData(Data([1]), for: CacheKey("k"))
            wallClock.advance(by: .seconds(61))
            clock.advance(by: delay - .nanoseconds(1))
            #expect(clock.sleeperCount == 1 && cache.totalDiskCount == 1)
            clock.advance(by: .nanoseconds(1))
        }
        await clock.waitForSleepers(1)
        #expect(cache.totalDiskCount == 0)
    }

    @Test func theTimerDoesNotKeepTheCacheAndEndsWithIt() async {
        let clock = ManualClock()
        weak var weakCache: ImageCache?
        do {
            let cache = cache(clock)
            weakCache = cache
            await clock.waitForSleepers(1)
        }
        #expect(weakCache == nil)
        #expect(clock.sleeperCount == 0)
    }
}
