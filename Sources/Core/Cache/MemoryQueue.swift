/// Held pictures in the order in which they came, and what they cost together. A value; see `MemoryEntry` for the lock.
struct MemoryQueue {
    private struct Node {
        var entry: MemoryEntry?
        var newer = MemoryQueue.nowhere
        var older = MemoryQueue.nowhere
    }

    private static let nowhere = -1

    /// What all cost together.
    private(set) var cost = 0
    /// How many there are.
    private(set) var count = 0

    private var nodes: [Node] = []
    private var free: [Int] = []
    private var oldestPlace = nowhere
    private var newestPlace = nowhere

    /// The one that came first.
    var oldest: MemoryEntry? { oldestPlace == Self.nowhere ? nil : nodes[oldestPlace].entry }

    /// Puts an entry, which must stand in no queue, behind all others.
    mutating func append(_ entry: MemoryEntry) {
        let node = Node(entry: entry, older: newestPlace)
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
        if newestPlace == Self.nowhere { oldestPlace = place } else { nodes[newestPlace].newer = place }
        newestPlace = place
        entry.place = place
        cost += entry.cost
        count += 1
    }

    /// Takes an entry out, which must stand in this queue.
    mutating func remove(_ entry: MemoryEntry) {
        let node = nodes[entry.place]
        if node.newer == Self.nowhere { newestPlace = node.older } else { nodes[node.newer].older = node.older }
        if node.older == Self.nowhere { oldestPlace = node.newer } else { nodes[node.older].newer = node.newer }
        nodes[entry.place].entry = nil
        free.append(entry.place)
        cost -= entry.cost
        count -= 1
    }

    /// Puts the one that came first behind all others.
    mutating func requeueOldest() {
        guard oldestPlace != newestPlace, let entry = oldest else { return }
        remove(entry)
        append(entry)
    }
}
