/// A line of those who wait: the highest priority first, and among equals the lowest ticket, or the highest.
///
/// A value. To join, to leave early and to change the priority cost little however long the line is, and who left is
/// forgotten at once.
struct WaitingLine<Element> {
    typealias ID = UInt64

    var order = DownloaderConfiguration.ExecutionOrder.firstInFirstOut
    /// One for each priority.
    private var lanes = [Lane<Element>](repeating: Lane(), count: LoadPriority.allCases.count)
    private var places: [ID: (priority: LoadPriority, ticket: UInt64)] = [:]

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// Who would be next.
    var first: (priority: LoadPriority, ticket: UInt64)? {
        for lane in lanes.indices.reversed() {
            if let ticket = lanes[lane].nextTicket(order), let priority = LoadPriority(rawValue: lane) {
                return (priority, ticket)
            }
        }
        return nil
    }

    /// - Parameter ticket: Another one for each who waits at the same time.
    mutating func add(_ element: Element, id: ID, priority: LoadPriority, ticket: UInt64) {
        places[id] = (priority, ticket)
        lanes[priority.rawValue].insert((ticket, id, element))
    }

    mutating func remove(_ id: ID) -> Element? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        return lanes[place.priority.rawValue].remove(place.ticket)
    }

    mutating func removeFirst() -> (id: ID, element: Element)? {
        guard let priority = first?.priority, let next = lanes[priority.rawValue].removeNext(order) else {
            return nil
        }
        places[next.id] = nil
        return next
    }

    /// Changes the priority of one who waits; among the new equals the given ticket counts.
    mutating func setPriority(_ priority: LoadPriority, of id: ID, ticket: UInt64) {
        guard let place = places[id], place.priority != priority, let element = remove(id) else { return }
        add(element, id: id, priority: priority, ticket: ticket)
    }
}

/// Those of one priority, in the order of their tickets.
private struct Lane<Element> {
    typealias Entry = (ticket: UInt64, id: UInt64, element: Element?)

    /// Spent up to the head. From there on an entry without an element is one who left.
    private var entries: [Entry] = []
    private var head = 0
    private var count = 0

    // The entries at the head and at the end, if any, are ones who still wait.
    func nextTicket(_ order: DownloaderConfiguration.ExecutionOrder) -> UInt64? {
        count == 0 ? nil : entries[nextPlace(order)].ticket
    }

    private func nextPlace(_ order: DownloaderConfiguration.ExecutionOrder) -> Int {
        order == .firstInFirstOut ? head : entries.count - 1
    }

    mutating func insert(_ entry: Entry) {
        count += 1
        // Nearly all come with the highest ticket so far.
        guard let last = entries.last, last.ticket >= entry.ticket else { return entries.append(entry) }
        // Before one who left with the same ticket, so that this one is found by it.
        entries.insert(entry, at: index(of: entry.ticket))
    }

    mutating func removeNext(
        _ order: DownloaderConfiguration.ExecutionOrder
    ) -> (id: UInt64, element: Element)? {
        let place = nextPlace(order)
        guard count > 0, let element = entries[place].element.take() else { return nil }
        let id = entries[place].id
        tidyUp()
        return (id, element)
    }

    mutating func remove(_ ticket: UInt64) -> Element? {
        let index = index(of: ticket)
        guard index < entries.count, entries[index].ticket == ticket, let element = entries[index].element.take() else {
            return nil
        }
        tidyUp()
        return element
    }

    private mutating func tidyUp() {
        count -= 1
        while head < entries.count, entries[head].element == nil { head += 1 }
        while entries.count > head, entries[entries.count - 1].element == nil { entries.removeLast() }
        if entries.count > count * 2 + 64 {
            entries = entries[head...].filter { $0.element != nil }
            head = 0
        }
    }

    /// The place of the first entry from the head on whose ticket is not lower.
    private func index(of ticket: UInt64) -> Int {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
