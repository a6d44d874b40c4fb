import WebImageFoundation

/// What is still to be loaded in advance, and what is under way. A value under the prefetcher's lock: it decides, the
/// prefetcher acts after unlocking.
struct PrefetchQueue {
    /// One URL of a list.
    struct Item {
        let id: Int
        let url: URL
        let token: PrefetchToken
        let destination: ImagePrefetcher.Destination
        var priority: LoadPriority

        var request: ImageRequest {
            var request = token.template
            request.url = url
            return request
        }
    }

    /// How far something has come.
    struct Count {
        var finished = 0
        var skipped = 0
        var total = 0
    }

    /// What there is to tell when a URL is done.
    struct News {
        let list: Count
        let all: Count
        let isLast: Bool
    }

    /// A list that is not done.
    struct List {
        let token: PrefetchToken
        let destination: ImagePrefetcher.Destination
        var count: Count
        var begun = 0
    }

    var isPaused = false
    private(set) var priority: LoadPriority?
    private(set) var tokens: [ObjectIdentifier: List] = [:]
    private var order: [ObjectIdentifier] = []
    private var running: [Int: (operation: CurrentOperation?, list: ObjectIdentifier)] = [:]
    private var all = Count()
    private var lastID = 0
    private var isStarting = false

    mutating func add(_ token: PrefetchToken, _ destination: ImagePrefetcher.Destination) {
        if tokens.isEmpty { all = Count() }
        let id = ObjectIdentifier(token)
        tokens[id] = List(token: token, destination: destination, count: Count(total: token.urls.count))
        order.append(id)
        all.total += token.urls.count
    }

    /// Whether the caller is to take what comes next, until there is nothing; `false` while another one does.
    mutating func beginStarting() -> Bool {
        defer { isStarting = true }
        return !isStarting
    }

    /// Takes the next URL that may begin, and counts it as under way.
    mutating func takeNext(_ limit: Int) -> Item? {
        let item = next(limit)
        if item == nil { isStarting = false }
        return item
    }

    private mutating func next(_ limit: Int) -> Item? {
        guard !isPaused, running.count < max(1, limit) else { return nil }
        while let id = order.first {
            guard var list = tokens[id], list.begun < list.token.urls.count else {
                order.removeFirst()
                continue
            }
            let url = list.token.urls[list.begun]
            list.begun += 1
            tokens[id] = list
            lastID += 1
            running[lastID] = (nil, id)
            return Item(
                id: lastID, url: url, token: list.token, destination: list.destination,
                priority: priority ?? list.token.template.options.priority)
        }
        return nil
    }

    /// `false` when the list was cancelled meanwhile.
    mutating func setOperation(_ operation: CurrentOperation, of item: Item) -> Bool {
        guard let entry = running[item.id] else { return false }
        running[item.id] = (operation, entry.list)
        return true
    }

    /// What there is to tell; `nil` when the list was cancelled meanwhile.
    mutating func end(_ item: Item, isSkipped: Bool) -> News? {
        let id = ObjectIdentifier(item.token)
        guard running.removeValue(forKey: item.id) != nil, var list = tokens[id] else { return nil }
        list.count.finished += 1
        all.finished += 1
        if isSkipped {
            list.count.skipped += 1
            all.skipped += 1
        }
        let isDone = list.count.finished == list.count.total
        tokens[id] = isDone ? nil : list
        return News(list: list.count, all: all, isLast: isDone && tokens.isEmpty)
    }

    /// Forgets a list; what of it is under way is to be cancelled.
    mutating func remove(_ token: PrefetchToken) -> [CurrentOperation] {
        let id = ObjectIdentifier(token)
        guard let list = tokens.removeValue(forKey: id) else { return [] }
        order.removeAll { $0 == id }
        all.total -= list.count.total - list.count.finished
        let ended = running.filter { $0.value.list == id }
        for key in ended.keys { running[key] = nil }
        return ended.values.compactMap(\.operation)
    }

    /// What is under way.
    mutating func setPriority(_ priority: LoadPriority?) -> [CurrentOperation] {
        self.priority = priority
        return running.values.compactMap(\.operation)
    }
}
