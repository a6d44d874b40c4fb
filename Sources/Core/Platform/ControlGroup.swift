/// A control group that limits the memory of this process, as the system's files tell.
struct ControlGroup {
    /// Whether it is of the unified hierarchy, version 2.
    var isUnified: Bool
    /// Its folder, if it can be seen, and those of the groups above it, the innermost first.
    var folders: [String]

    /// Those of this process; `root` is where `/proc` and `/sys` are looked for.
    static func ofThisProcess(root: String) -> [ControlGroup] {
        lines(root + "/proc/self/cgroup").compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            let isUnified = fields[0] == "0" && fields[1].isEmpty
            guard isUnified || fields[1].split(separator: ",").contains("memory") else { return nil }
            let mount = root + (isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory")
            return ControlGroup(isUnified: isUnified, folders: folders(mount, fields[2]))
        }
    }

    private static func folders(_ mount: String, _ group: Substring) -> [String] {
        var names = group.split(separator: "/")
        // A group outside this process's view: what it sees at the top is its own.
        if names.contains("..") { names = [] }
        return (0...names.count).reversed().map { count in
            ([mount] + names.prefix(count).map(String.init)).joined(separator: "/")
        }
    }

    /// The lines of a small file of the system; none where it cannot be read.
    static func lines(_ path: String) -> [Substring] {
        guard let file = try? FileDescriptor(path, .read), let bytes = try? file.readAll(limit: 1 << 16) else {
            return []
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
