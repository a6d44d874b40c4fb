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
        for line in ControlGroup.lines(root + "/proc/meminfo") where line.hasPrefix("MemTotal:") {
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            guard let (bytes, overflow) = kilobytes?.multipliedReportingOverflow(by: 1024) else { return nil }
            return overflow ? nil : bytes
        }
        return nil
    }

    /// The limits of the groups and of all above them; `max` is none.
    private var groupLimits: [Int] {
        ControlGroup.ofThisProcess(root: root).flatMap { group in
            let file = group.isUnified ? "/memory.max" : "/memory.limit_in_bytes"
            return group.folders.compactMap { folder in
                ControlGroup.lines(folder + file).first.flatMap { Int($0) }
            }
        }
    }
}
