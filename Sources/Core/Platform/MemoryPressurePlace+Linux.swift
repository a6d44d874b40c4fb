#if os(Linux) || os(Android)
import CWebImageSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One place where the kernel tells that memory is short: a file to poll, and what it means when it has news.
final class MemoryPressurePlace {
    let file: FileDescriptor
    /// What to poll for.
    let events: Int16
    private let meaning: Meaning

    private enum Meaning {
        /// Tasks stalled for longer than the trigger says.
        case stall(MemoryPressureLevel)
        /// The kernel counts an event descriptor up.
        case count(MemoryPressureLevel)
        /// One of these files changed.
        case files(CountedEvents)
    }

    private init(_ file: consuming FileDescriptor, _ events: Int16, _ meaning: Meaning) {
        self.file = file
        self.events = events
        self.meaning = meaning
    }

    /// All there are below a root, as many as the system lets this process listen to.
    static func all(root: String) -> [MemoryPressurePlace] {
        let groups = ControlGroup.ofThisProcess(root: root)
        var stallFiles = [root + "/proc/pressure/memory"]
        var places: [MemoryPressurePlace?] = []
        for group in groups {
            if group.isUnified {
                stallFiles += group.folders.dropLast().map { $0 + "/memory.pressure" }
                places.append(changes(of: group.folders.map { $0 + "/memory.events" }))
            } else {
                places += levels(of: group)
            }
        }
        for path in stallFiles {
            places += [
                stall("some", .milliseconds(200), path, .low), stall("full", .milliseconds(200), path, .critical),
            ]
        }
        return places.compactMap(\.self)
    }

    /// What a poll that found something means; `nil` when it means nothing.
    func level(of found: Int16) -> MemoryPressureLevel? {
        switch meaning {
        case .stall(let level): return found & Int16(POLLPRI) != 0 ? level : nil
        case .count(let level):
            drain()
            return level
        case .files(let files):
            drain()
            return files.news()
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while unsafe bytes.withUnsafeMutableBytes({ unsafe SystemCall.readBytes(file.number, $0) }) > 0 {}
    }
}

extension MemoryPressurePlace {
    /// A trigger of PSI, see the kernel's `Documentation/accounting/psi.rst`: `some` or `full`, all, of the tasks have
    /// waited for memory for so long within a window. Unprivileged processes may have windows of two seconds.
    private static func stall(
        _ who: String, _ time: Duration, _ path: String, _ level: MemoryPressureLevel
    ) -> MemoryPressurePlace? {
        let microseconds = time.components.attoseconds / 1_000_000_000_000
        guard let file = try? FileDescriptor(path, .update),
            write("\(who) \(microseconds) 2000000\0", to: file.number)
        else { return nil }
        return MemoryPressurePlace(file, Int16(POLLPRI), .stall(level))
    }

    /// Version 1, see the kernel's `admin-guide/cgroup-v1/memory.rst`: an event descriptor for each level, registered
    /// by writing its number. The usage has thresholds too, but counts the page cache, which fills any limit.
    private static func levels(of group: ControlGroup) -> [MemoryPressurePlace?] {
        for folder in group.folders {
            guard let source = try? FileDescriptor(folder + "/memory.pressure_level", .read),
                let control = try? FileDescriptor(folder + "/cgroup.event_control", .write)
            else { continue }
            return [("medium", .low), ("critical", .critical)].map { name, level in
                guard let event = signal(), write("\(event.number) \(source.number) \(name)\n", to: control.number)
                else { return nil }
                return MemoryPressurePlace(event, Int16(POLLIN), .count(level))
            }
        }
        return []
    }

    /// Version 2: counters that the kernel rewrites, its own and those of all groups above.
    private static func changes(of paths: [String]) -> MemoryPressurePlace? {
        // A user has few of these descriptors, often 128: none is taken where there is nothing to watch.
        let paths = paths.filter { unsafe access($0, R_OK) == 0 }
        guard !paths.isEmpty else { return nil }
        let number = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard number >= 0 else { return nil }
        let file = FileDescriptor(owning: number)
        let watched = paths.filter { unsafe inotify_add_watch(number, $0, UInt32(IN_MODIFY)) >= 0 }
        return watched.isEmpty ? nil : MemoryPressurePlace(file, Int16(POLLIN), .files(CountedEvents(watched)))
    }

    private static func write(_ text: String, to number: Int32) -> Bool {
        var text = text
        return text.withUTF8 { unsafe SystemCall.writeBytes(number, UnsafeRawBufferPointer($0)) == $0.count }
    }

    /// A descriptor that can be polled and counted up.
    static func signal() -> FileDescriptor? {
        let number = eventfd(0, O_CLOEXEC | O_NONBLOCK)
        return number < 0 ? nil : FileDescriptor(owning: number)
    }
}

/// The counters of `memory.events` files, and which of them have risen.
private final class CountedEvents {
    private let paths: [String]
    private var counts: [[Substring: Int]]

    init(_ paths: [String]) {
        self.paths = paths
        counts = paths.map(Self.counts)
    }

    /// The most urgent of what has happened since the last time.
    func news() -> MemoryPressureLevel? {
        let former = counts
        let now = paths.map(Self.counts)
        // What was read in the middle of a change lacks counters; they must not seem to rise when they are back.
        counts = zip(former, now).map { $0.merging($1, uniquingKeysWith: max) }
        return zip(former, now).compactMap { former, now in
            let risen = now.filter { $0.value > former[$0.key, default: .max] }.keys
            if risen.contains("max") || risen.contains("oom") || risen.contains("oom_kill") { return .critical }
            return risen.contains("high") ? .low : nil
        }.max()
    }

    private static func counts(_ path: String) -> [Substring: Int] {
        var counts: [Substring: Int] = [:]
        for line in ControlGroup.lines(path) {
            let fields = line.split(separator: " ")
            if fields.count == 2, let count = Int(fields[1]) { counts[fields[0]] = count }
        }
        return counts
    }
}
#endif
