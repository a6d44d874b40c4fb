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
        let name: String
        /// Which entry among the ready ones is its own.
        let id: ID
        var line = WaitingLine<ID>()
        var active = 0
        var isMultiplexed = false
        /// What its entry among the ready ones says; `nil` while there is none.
        var readiness: Readiness?
    }

    private struct Readiness: Equatable {
        var priority: LoadPriority
        var ticket: UInt64
    }

    /// A host's place in `hosts`: its name is looked up once for each download.
    private typealias Place = Int

    var limits: Limits {
        didSet { for place in places.values { update(place) } }
    }
    /// Among equals; holds for those who wait too.
    var order: DownloaderConfiguration.ExecutionOrder {
        get { ready.order }
        set {
            guard newValue != order else { return }
            ready.order = newValue
            for place in places.values {
                hosts[place].line.order = newValue
                update(place)
            }
        }
    }
    /// Those that have someone who waits or runs, and between them free places.
    private var hosts: [Host] = []
    private var freePlaces: [Place] = []
    private var places: [String: Place] = [:]
    /// The hosts that have room and someone who waits, each in the place of its first; there may be thousands.
    private var ready = WaitingLine<Place>()
    /// The host of each that waits.
    private var waiting: [ID: Place] = [:]
    /// Each exchange that runs.
    private var active: [ID: (host: Place, ticket: UInt64)] = [:]
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
        hosts[host].line.setPriority(priority, of: id, ticket: ticket)
        update(host)
    }

    /// Forgets one that still waits; `false` when it does not.
    @discardableResult
    mutating func remove(_ id: ID) -> Bool {
        guard let host = waiting.removeValue(forKey: id) else { return false }
        _ = hosts[host].line.remove(id)
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
        hosts[host].active -= 1
        update(host)
    }

    /// Notes that a host carries many exchanges on one connection.
    ///
    /// - Returns: Whether that is new.
    @discardableResult
    mutating func noteMultiplexed(host: String) -> Bool {
        guard let place = places[host], !hosts[place].isMultiplexed else { return false }
        hosts[place].isMultiplexed = true
        update(place)
        return true
    }

    private func window(of place: Place) -> Int {
        max(1, hosts[place].isMultiplexed ? limits.streamsPerHost : limits.perHost)
    }

    /// The first in line of the host whose first comes before all others'.
    private mutating func takeFirst() -> ID? {
        guard let host = ready.removeFirst()?.element else { return nil }
        hosts[host].readiness = nil
        guard let ticket = hosts[host].line.first?.ticket, let id = hosts[host].line.removeFirst()?.id else {
            return nil
        }
        waiting[id] = nil
        active[id] = (host, ticket)
        hosts[host].active += 1
        update(host)
        return id
    }

    private mutating func enqueue(_ id: ID, host name: String, priority: LoadPriority, ticket: UInt64) {
        let host = places[name] ?? add(name)
        waiting[id] = host
        hosts[host].line.add(id, id: id, priority: priority, ticket: ticket)
        update(host)
    }

    private mutating func add(_ name: String) -> Place {
        var host = Host(name: name, id: makeTicket())
        host.line.order = order
        let place = freePlaces.popLast() ?? hosts.count
        if place < hosts.count { hosts[place] = host } else { hosts.append(host) }
        places[name] = place
        return place
    }

    private mutating func makeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    /// Finds a host its place among the ready ones after anything about it changed, and forgets an idle one: its HTTP
    /// version is kept only as long as it is busy, for connections do not live much longer either.
    private mutating func update(_ place: Place) {
        let isFull = hosts[place].active >= window(of: place)
        let wanted = isFull ? nil : hosts[place].line.first.map { Readiness(priority: $0.priority, ticket: $0.ticket) }
        if wanted != hosts[place].readiness {
            let id = hosts[place].id
            if hosts[place].readiness != nil { _ = ready.remove(id) }
            if let wanted { ready.add(place, id: id, priority: wanted.priority, ticket: wanted.ticket) }
            hosts[place].readiness = wanted
        }
        if hosts[place].active == 0, hosts[place].line.isEmpty { forget(place) }
    }

    private mutating func forget(_ place: Place) {
        places[hosts[place].name] = nil
        guard !places.isEmpty else {
            (hosts, freePlaces) = ([], [])
            return
        }
        hosts[place].line = WaitingLine()
        freePlaces.append(place)
    }
}
