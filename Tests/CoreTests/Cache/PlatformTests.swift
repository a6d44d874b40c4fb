import Foundation
import Testing

@testable import WebImageCore

@Suite struct PlatformTests {
    @Test("UT-03 extended attribute: none, set, read equal, replaced, removed")
    func UT_03_extendedAttribute() throws {
        let folder = try CacheTestFolder()
        let path = folder.path + "/file"
        let name = DiskCache.attributeName
        let file = try FileDescriptor(path, .createNew)
        #expect(file.extendedAttribute(name) == nil)
        guard (try? file.setExtendedAttribute(name, to: [1, 2, 3])) != nil else {
            print("UT-03: the temporary folder's file system has no extended attributes; the sidecar is tested instead")
            let cache = DiskCache(folder)
            try cache.store(Data([7]), for: CacheKey("k"))
            #expect(try cache.data(for: CacheKey("k"))?.data == Data([7]))
            #expect(folder.names("entries").contains { $0.hasSuffix(".meta") })
            return
        }
        #expect(file.extendedAttribute(name) == [1, 2, 3])
        #expect(file.extendedAttribute("user.other") == nil)
        let longer = [UInt8](repeating: 9, count: 3000)
        try file.setExtendedAttribute(name, to: longer)
        #expect(try FileDescriptor(path, .read).extendedAttribute(name) == longer)
        try file.removeExtendedAttribute(name)
        #expect(file.extendedAttribute(name) == nil)
        #expect(throws: SystemError.self) { try file.removeExtendedAttribute(name) }
    }

    @Test func anAttributeLargerThanTheFirstGuessIsRead() throws {
        // tmpfs has room for 64 KB, ext4 for 4.
        let path = "/dev/shm/webimage-attribute-\(UUID().uuidString)"
        guard let file = try? FileDescriptor(path, .createNew) else { return print("no /dev/shm here") }
        defer { try? FileSystem.remove(path) }
        let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
        guard (try? file.setExtendedAttribute(DiskCache.attributeName, to: bytes)) != nil else { return }
        #expect(file.extendedAttribute(DiskCache.attributeName) == bytes)
    }

    @Test func digestsAreThoseOfTheStandards() {
        #expect(Digest.md5.hexadecimal("") == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Digest.md5.hexadecimal("abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(
            Digest.sha256.hexadecimal("abc")
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.sha256(Data()).count == 32)
    }

    @Test func errorsSayWhatTheSystemSays() {
        #expect(SystemError.noSpace.description == "No space left on device")
        #expect(throws: SystemError.noSuchFile) { _ = try FileSystem.status("/nonexistent") }
        #expect(throws: SystemError.notDirectory) { _ = try FileSystem.status("/dev/null/x") }
    }

    @Test func theMainThreadIsTold() async {
        #expect(await MainActor.run { MainThread.isCurrent })
        let isMain = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: MainThread.isCurrent) }.start()
        }
        #expect(!isMain)
    }

    @Test func wallTimesSubtract() {
        let time = WallTime(seconds: 10, nanoseconds: 100)
        #expect(time.subtracting(.nanoseconds(200)) == WallTime(seconds: 9, nanoseconds: 999_999_900))
        #expect(time.subtracting(.seconds(-2)) == WallTime(seconds: 12, nanoseconds: 100))
        #expect(time.subtracting(.milliseconds(-1000)) == WallTime(seconds: 11, nanoseconds: 100))
        let late = WallTime(seconds: 1, nanoseconds: 999_999_999)
        #expect(late.subtracting(.nanoseconds(-2)) == WallTime(seconds: 2, nanoseconds: 1))
        #expect(WallTime(seconds: .min).subtracting(.seconds(1)) == WallTime(seconds: .min))
        #expect(WallTime(seconds: .max).subtracting(.seconds(-1)) == WallTime(seconds: .max))
        #expect(WallTime(seconds: 1, nanoseconds: 5) < WallTime(seconds: 1, nanoseconds: 6))
    }
}

@Suite struct MemoryLimitTests {
    private func limit(_ files: [String: String]) throws -> Int {
        let folder = try CacheTestFolder()
        for (path, text) in files {
            let url = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return MemoryLimit(root: folder.path).byteCount
    }

    private let machine = ["proc/meminfo": "MemTotal:        8000 kB\nMemFree: 1 kB\n"]

    @Test func theMachineIsTheLimitWithoutGroups() throws {
        #expect(try limit(machine) == 8000 * 1024)
    }

    @Test func theLeastLimitOnTheWayUpCounts() throws {
        let files = machine.merging([
            "proc/self/cgroup": "0::/user/app\n", "sys/fs/cgroup/user/app/memory.max": "max\n",
            "sys/fs/cgroup/user/memory.max": "4096000\n", "sys/fs/cgroup/memory.max": "5000000\n",
        ]) { $1 }
        #expect(try limit(files) == 4_096_000)
    }

    @Test func theFirstVersionOfGroupsIsRead() throws {
        let files = machine.merging([
            "proc/self/cgroup": "5:cpu:/a\n4:memory:/b\n0::/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/b/memory.limit_in_bytes": "1000000\n",
        ]) { $1 }
        #expect(try limit(files) == 1_000_000)
    }

    @Test func nonsenseIsNoLimit() throws {
        let files = machine.merging([
            "proc/self/cgroup": "\n::\n0::/../..\n4:memory:/x\nnonsense", "sys/fs/cgroup/memory.max": "-5\n",
            "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "99999999999999999999999\n",
        ]) { $1 }
        #expect(try limit(files) == 8000 * 1024)
        #expect(try limit([:]) == MemoryLimit.fallback)
        #expect(try limit(["proc/meminfo": "MemTotal: 9223372036854775807 kB"]) == MemoryLimit.fallback)
    }

    @Test func thisMachineHasALimit() {
        #expect(MemoryLimit().byteCount > 1 << 20)
        let cost = ImageCacheConfiguration().maxMemoryCost
        #expect(cost > 0 && cost <= 512 << 20 && cost <= MemoryLimit().byteCount / 5)
    }
}
