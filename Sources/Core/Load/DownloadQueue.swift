/// Who may use the network next: at most so many exchanges at once, and so many to one host; the highest priority
/// first, and among equals who came first, or last.
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

    private struct Host {
        let id: ID
        var line = WaitingLine<ID>()
        var active = 0
        var isMultiplexed = false
    }

    var limits: Limits {
        didSet { for name in hosts.keys { update(name) } }
    }
    /// Among equals; holds for those who wait too.
    var order: DownloaderConfiguration.ExecutionOrder {
        get { ready.order }
        set {
            guard newValue != order else { return }
            ready.order = newValue
            for name in hosts.keys {
                hosts[name]?.line.order = newValue
                update(name)
            }
        }
    }
    private var hosts: [String: Host] = [:]
    /// The hosts that have room and someone who waits, each in the place of its first; there may be thousands.
    private var ready = WaitingLine<String>()
    /// The host of each that waits.
    private var waiting: [ID: String] = [:]
    /// Each exchange that runs.
    private var active: [ID: (host: String, ticket: UInt64)] = [:]
    private var nextTicket: UInt64 = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// Whether nothing waits or runs.
    var isIdle: Bool { waiting.isEmpty && active.isEmpty }

    mutating func enqueue(_ id: ID, host: String, priority: LoadPriority) {
        enqueue(id, host: host, priority: priority, ticket: makeTicket())
    }

    /// Notes that an admitted exchange is over, and that the same download waits for another, perhaps with another
    /// host. It keeps its place among its equals: who came later waits on.
    mutating func requeue(_ id: ID, host: String, priority: LoadPriority) {
        let ticket = active[id]?.ticket ?? makeTicket()
        finished(id)
        enqueue(id, host: host, priority: priority, ticket: ticket)
    }

    /// Moves one that still waits to the end of another lane.
    mutating func setPriority(_ priority: LoadPriority, of id: ID) {
        guard let host = waiting[id] else { return }
        let ticket = makeTicket()
        hosts[host]?.line.setPriority(priority, of: id, ticket: ticket)
        update(host)
    }

    /// Forgets one that still waits; `false` when it does not.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard let host = waiting.removeValue(forKey: id) else { return false }
        _ = hosts[host]?.line.remove(id)
        update(host)
        return true
    }

    /// The exchanges to start now.
    mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while active.count < max(1, limits.total), let id = takeFirst() { admitted.append(id) }
        return admitted
    }

    /// Notes that an admitted exchange is over.
    mutating func finished(_ id: ID) {
        guard let host = active.removeValue(forKey: id)?.host else { return }
        hosts[host]?.active -= 1
        update(host)
    }

    /// Notes that a host carries many exchanges on one connection.
    ///
    /// - Returns: Whether that is new.
    @discardableResult
    mutating func noteMultiplexed(host: String) -> Bool {
        guard hosts[host]?.isMultiplexed == false else { return false }
        hosts[host]?.isMultiplexed = true
        update(host)
        return true
    }

    private func window(of host: Host) -> Int {
        max(1, host.isMultiplexed ? limits.streamsPerHost : limits.perHost)
    }

    /// The first in line of the host whose first comes before all others'.
    private mutating func takeFirst() -> ID? {
        guard let host = ready.removeFirst()?.element, let ticket = hosts[host]?.line.first?.ticket,
            let id = hosts[host]?.line.removeFirst()?.id
        else { return nil }
        waiting[id] = nil
        active[id] = (host, ticket)
        hosts[host]?.active += 1
        update(host)
        return id
    }

    private mutating func enqueue(_ id: ID, host: String, priority: LoadPriority, ticket: UInt64) {
        waiting[id] = host
        if hosts[host] == nil {
            var new = Host(id: makeTicket())
            new.line.order = order
            hosts[host] = new
        }
        hosts[host]?.line.add(id, id: id, priority: priority, ticket: ticket)
        update(host)
    }

    private mutating func makeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    /// Finds a host its place among the ready ones after anything about it changed, and forgets an idle one: its HTTP
    /// version is kept only as long as it is busy, for connections do not live much longer either.
    private mutating func update(_ name: String) {
        guard let host = hosts[name] else { return }
        _ = ready.remove(host.id)
        guard host.active > 0 || !host.line.isEmpty else {
            hosts[name] = nil
            return
        }
        guard host.active < window(of: host), let first = host.line.first else { return }
        ready.add(name, id: host.id, priority: first.priority, ticket: first.ticket)
    }
}
