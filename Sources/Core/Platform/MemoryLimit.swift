/// How much memory this process may use: the least of its control groups' limits and of the machine's memory.
struct MemoryLimit {
    /// Where `/proc` and `/sys` are looked for; a test gives a folder of its own.
    var root = ""

    /// What is taken where the system says nothing.
    static let fallback = 2 << 30

    /// In bytes. Reads a handful of small files: ask once.
    var byteCount: Int {
        let limits = groupLimits + [machine, Platform.physicalMemory].compactMap(\.self)
        return limits.filter { $0 > 0 }.min() ?? Self.fallback
    }

    private var machine: Int? {
        for line in lines("/proc/meminfo") where line.hasPrefix("MemTotal:") {
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            guard let (bytes, overflow) = kilobytes?.multipliedReportingOverflow(by: 1024) else { return nil }
            return overflow ? nil : bytes
        }
        return nil
    }

    private var groupLimits: [Int] {
        lines("/proc/self/cgroup").flatMap { line -> [Int] in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            if fields[0] == "0", fields[1].isEmpty {
                return limits("/sys/fs/cgroup", group: fields[2], file: "memory.max")
            }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits("/sys/fs/cgroup/memory", group: fields[2], file: "memory.limit_in_bytes")
        }
    }

    /// The limits of a group and of all above it; `max` is none.
    private func limits(_ mount: String, group: Substring, file: String) -> [Int] {
        var names = group.split(separator: "/")
        // A group outside this process's view: what it sees at the top is its own.
        if names.contains("..") { names = [] }
        var limits: [Int] = []
        while true {
            let path = ([mount] + names.map(String.init) + [file]).joined(separator: "/")
            if let limit = lines(path).first.flatMap({ Int($0) }) { limits.append(limit) }
            if names.popLast() == nil { return limits }
        }
    }

    private func lines(_ path: String) -> [Substring] {
        guard let file = try? FileDescriptor(root + path, .read),
            let bytes = try? file.readAll(limit: 1 << 16)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
