/// How much a memory cache may hold for its own sake; 0 is no limit.
struct MemoryLimits: Sendable {
    /// What all pictures may cost together.
    var cost = 0
    /// How many pictures there may be.
    var count = 0
    /// What a single picture may cost.
    var imageCost = 0

    /// The part of the limits that newcomers stand in.
    private static let windowPart = 4

    /// What a single picture may cost, in fact.
    var largestImageCost: Int { [cost, imageCost].filter { $0 > 0 }.min() ?? .max }

    func areOver(cost held: Int, count heldCount: Int) -> Bool {
        (cost > 0 && held > cost) || (count > 0 && heldCount > count)
    }

    func isWindowOver(_ window: MemoryQueue) -> Bool {
        (cost > 0 && window.cost > cost / Self.windowPart) || (count > 0 && window.count > count / Self.windowPart)
    }
}
