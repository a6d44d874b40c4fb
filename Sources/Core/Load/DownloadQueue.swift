/// Who may use the network next: at most so many exchanges at once, and so many to one host; the highest priority
/// first, and among equals who came first.
///
/// A value: it decides, its owner acts.
struct DownloadQueue {
    typealias ID = UInt64

    /// How many exchanges may run at once.
    struct Limits: Sendable, Hashable {
        var total: Int
        var perHost: Int
        /// To a host that has answered in HTTP/2 or later.
        var streamsPerHost: Int
    }

    fileprivate struct Host {
        var waiting: [LoadPriority: Lane] = [:]
        var active = 0
        var isMultiplexed = false

        var isIdle: Bool { active == 0 && waiting.values.allSatisfy(\.isEmpty) }
    }

    var limits: Limits
    private var hosts: [String: Host] = [:]
    private var waiting: [ID: (host: String, priority: LoadPriority)] = [:]
    /// The host of each exchange that runs.
    private var active: [ID: String] = [:]
    private var nextTicket: UInt64 = 0

    init(limits: Limits) {
        self.limits = limits
    }

    mutating func enqueue(_ id: ID, host: String, priority: LoadPriority) {
        nextTicket += 1
        waiting[id] = (host, priority)
        hosts[host, default: Host()].waiting[priority, default: Lane()].append(id, ticket: nextTicket)
    }

    /// Moves one that still waits to the end of another lane.
    mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard let place = waiting[id], place.priority != priority else { return }
        remove(id)
        enqueue(id, host: place.host, priority: priority)
    }

    /// Forgets one that still waits; `false` when it does not.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard let place = waiting.removeValue(forKey: id) else { return false }
        hosts[place.host]?.waiting[place.priority]?.remove(id)
        forgetIfIdle(place.host)
        return true
    }

    /// The exchanges to start now.
    mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while active.count < max(1, limits.total), let host = nextHost(), let id = takeFirst(of: host) {
            active[id] = host
            hosts[host]?.active += 1
            admitted.append(id)
        }
        return admitted
    }

    /// Notes that an admitted exchange is over.
    mutating func finished(_ id: ID) {
        guard let host = active.removeValue(forKey: id) else { return }
        hosts[host]?.active -= 1
        forgetIfIdle(host)
    }

    /// Notes that a host carries many exchanges on one connection.
    mutating func noteMultiplexed(host: String) {
        hosts[host]?.isMultiplexed = true
    }

    private func window(of host: Host) -> Int {
        max(1, host.isMultiplexed ? limits.streamsPerHost : limits.perHost)
    }

    /// The host whose first in line comes before all others'.
    private func nextHost() -> String? {
        var best: (host: String, priority: LoadPriority, ticket: UInt64)?
        for (name, host) in hosts where host.active < window(of: host) {
            guard let (priority, ticket) = host.first else { continue }
            if let best, (best.priority, ticket) > (priority, best.ticket) { continue }
            best = (name, priority, ticket)
        }
        return best?.host
    }

    private mutating func takeFirst(of host: String) -> ID? {
        guard let priority = hosts[host]?.first?.priority, let id = hosts[host]?.waiting[priority]?.removeFirst() else {
            return nil
        }
        waiting[id] = nil
        return id
    }

    private mutating func forgetIfIdle(_ name: String) {
        // A host's HTTP version is kept only as long as it is busy: connections do not live much longer either.
        if hosts[name]?.isIdle == true { hosts[name] = nil }
    }
}

extension DownloadQueue.Host {
    fileprivate var first: (priority: LoadPriority, ticket: UInt64)? {
        for priority in [LoadPriority.high, .normal, .low] {
            if let ticket = waiting[priority]?.firstTicket { return (priority, ticket) }
        }
        return nil
    }
}

/// A line of those who wait, first come first served; leaving it early is cheap.
private struct Lane {
    private var entries: [(id: DownloadQueue.ID, ticket: UInt64)] = []
    private var head = 0
    private var left: Set<DownloadQueue.ID> = []

    var isEmpty: Bool { head == entries.count }
    var firstTicket: UInt64? { isEmpty ? nil : entries[head].ticket }

    mutating func append(_ id: DownloadQueue.ID, ticket: UInt64) {
        entries.append((id, ticket))
    }

    mutating func removeFirst() -> DownloadQueue.ID? {
        guard !isEmpty else { return nil }
        let id = entries[head].id
        head += 1
        skipThoseWhoLeft()
        return id
    }

    mutating func remove(_ id: DownloadQueue.ID) {
        left.insert(id)
        skipThoseWhoLeft()
    }

    /// Keeps the invariant that the head, if any, is one who still waits; drops the spent front now and then.
    private mutating func skipThoseWhoLeft() {
        while head < entries.count, left.remove(entries[head].id) != nil { head += 1 }
        if head > 64, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}
