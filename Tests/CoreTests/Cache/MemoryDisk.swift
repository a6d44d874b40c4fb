import Foundation
import WebImageTesting

/// A small file system in memory at a folder, for tests of disks that are full or read-only. Only root may mount.
enum MemoryDisk {
    /// `false` where the system does not allow it.
    static func mount(at path: String, _ options: String) throws -> Bool {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return run("/usr/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", path)
    }

    static func makeReadOnly(_ path: String) -> Bool { run("/usr/bin/mount", "-o", "remount,ro", path) }

    static func unmount(_ path: String) { _ = run("/usr/bin/umount", path) }

    /// The program ends by itself at once, so that its caller may be kept waiting.
    private static func run(_ program: String, _ arguments: String...) -> Bool {
        (try? ChildProcess(program, arguments).waitForEndBlocking()) == .exited(0)
    }
}
