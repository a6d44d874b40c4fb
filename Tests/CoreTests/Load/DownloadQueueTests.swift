import Testing

@testable import WebImageCore

@Suite("Who may use the network next")
struct DownloadQueueTests {
    private func queue(total: Int = 64, perHost: Int = 6, streams: Int = 64) -> QueueBox {
        QueueBox(DownloadQueue(limits: .init(total: total, perHost: perHost, streamsPerHost: streams)))
    }

    @Test("First come, first served; at most six to one host")
    func window() {
        let queue = queue()
        for id in 1...10 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        #expect(queue.admit() == [1, 2, 3, 4, 5, 6])
        #expect(queue.admit().isEmpty)
        queue.finished(3)
        #expect(queue.admit() == [7])
    }

    @Test("One busy host does not hold up another")
    func hosts() {
        let queue = queue(perHost: 1)
        queue.enqueue(1, host: "a", priority: .normal)
        queue.enqueue(2, host: "a", priority: .high)
        queue.enqueue(3, host: "b", priority: .low)
        #expect(queue.admit() == [2, 3])
        queue.finished(2)
        #expect(queue.admit() == [1])
    }

    @Test("A host that answered in HTTP/2 has a wider window")
    func multiplexed() {
        let queue = queue()
        for id in 1...100 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        #expect(queue.admit().count == 6)
        queue.noteMultiplexed(host: "a")
        #expect(queue.admit().count == 58)
    }

    @Test("The total is kept, and the highest priority over all hosts goes first")
    func total() {
        let queue = queue(total: 2)
        queue.enqueue(1, host: "a", priority: .low)
        queue.enqueue(2, host: "b", priority: .normal)
        queue.enqueue(3, host: "c", priority: .high)
        #expect(queue.admit() == [3, 2])
        queue.finished(3)
        queue.finished(3)
        #expect(queue.admit() == [1])
    }

    @Test("Priorities change while waiting; who left is skipped")
    func changes() {
        let queue = queue(perHost: 1)
        for id in 1...4 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        queue.setPriority(.high, of: 4)
        queue.setPriority(.low, of: 1)
        #expect(queue.remove(2))
        #expect(!queue.remove(2))
        var order: [UInt64] = []
        while let next = queue.admit().first {
            order.append(next)
            queue.finished(next)
        }
        #expect(order == [4, 3, 1])
    }

    @Test("One that goes back to a lane it left waits there once")
    func backAndForth() {
        let queue = queue(perHost: 1)
        queue.enqueue(1, host: "a", priority: .normal)
        queue.enqueue(2, host: "a", priority: .normal)
        queue.setPriority(.low, of: 2)
        queue.setPriority(.normal, of: 2)
        #expect(queue.admit() == [1])
        queue.finished(1)
        #expect(queue.admit() == [2])
        queue.finished(2)
        #expect(queue.admit().isEmpty)
    }

    @Test("One that changes lanes again and again waits in one place, and takes one place when its turn comes")
    func toAndFro() {
        let queue = queue(perHost: 1)
        queue.enqueue(1, host: "a", priority: .normal)
        queue.enqueue(2, host: "a", priority: .normal)
        for priority in [LoadPriority.low, .normal, .low, .high, .normal, .low] { queue.setPriority(priority, of: 2) }
        #expect(queue.admit() == [1])
        queue.finished(1)
        #expect(queue.admit() == [2])
        queue.finished(2)
        queue.enqueue(3, host: "a", priority: .normal)
        queue.setPriority(.low, of: 3)
        queue.setPriority(.normal, of: 3)
        #expect(queue.remove(3))
        queue.enqueue(4, host: "a", priority: .low)
        #expect(queue.admit() == [4])
    }

    @Test("A download that needs another exchange goes before those who came after it")
    func again() {
        let queue = queue(perHost: 1)
        for id in 1...3 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        #expect(queue.admit() == [1])
        queue.requeue(1, host: "a", priority: .normal)
        queue.enqueue(4, host: "a", priority: .high)
        var order: [UInt64] = []
        while let next = queue.admit().first {
            order.append(next)
            queue.finished(next)
        }
        #expect(order == [4, 1, 2, 3])
    }

    @Test("Who leaves a long line anywhere is gone, and the others keep their order")
    func leavers() {
        let queue = queue(perHost: 1)
        for id in 1...5000 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        let leaving = (1...5000).filter { $0 % 7 != 0 }.shuffled()
        for id in leaving { #expect(queue.remove(UInt64(id))) }
        var order: [UInt64] = []
        while let next = queue.admit().first {
            order.append(next)
            queue.finished(next)
        }
        #expect(order == (1...5000).filter { $0 % 7 == 0 }.map(UInt64.init))
    }

    @Test("Thousands of hosts take turns in the order in which their first came")
    func manyHosts() {
        let queue = queue(total: 3, perHost: 1)
        for id in 1...6000 {
            queue.enqueue(UInt64(id), host: "h\(id % 2000)", priority: id % 3 == 0 ? .high : .normal)
        }
        var order: [UInt64] = []
        var running = queue.admit()
        while !running.isEmpty {
            order += running
            for id in running { queue.finished(id) }
            running = queue.admit()
        }
        let high = (1...6000).filter { $0 % 3 == 0 }
        #expect(order == (high + (1...6000).filter { $0 % 3 != 0 }).map(UInt64.init))
    }

    @Test("A wider limit lets those in who wait, at once")
    func widerLimit() {
        let queue = queue(perHost: 1)
        for id in 1...5 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        #expect(queue.admit() == [1])
        queue.setLimits(.init(total: 64, perHost: 3, streamsPerHost: 64))
        #expect(queue.admit() == [2, 3])
    }

    @Test("DL-15 last in, first out: who is asked for while the last runs goes before those who waited")
    func DL_15_lastInFirstOut() {
        let queue = queue(total: 1)
        queue.setOrder(.lastInFirstOut)
        var order: [UInt64] = []
        queue.enqueue(1, host: "a", priority: .normal)
        var running = queue.admit()
        for id in 2...7 { queue.enqueue(UInt64(id), host: "h\(id % 3)", priority: .normal) }
        while let next = running.first {
            order.append(next)
            if next == 7 { for id in 8...14 { queue.enqueue(UInt64(id), host: "h\(id % 3)", priority: .normal) } }
            queue.finished(next)
            running = queue.admit()
        }
        #expect(order == [1, 7, 14, 13, 12, 11, 10, 9, 8, 6, 5, 4, 3, 2])
    }

    @Test("The order can change while they wait; priorities go before it")
    func changedOrder() {
        let queue = queue(perHost: 1)
        for id in 1...6 { queue.enqueue(UInt64(id), host: "a", priority: id == 5 ? .low : .normal) }
        queue.enqueue(7, host: "a", priority: .high)
        queue.setOrder(.lastInFirstOut)
        #expect(queue.remove(4))
        var order: [UInt64] = []
        while let next = queue.admit().first {
            order.append(next)
            if order.count == 3 { queue.setOrder(.firstInFirstOut) }
            queue.finished(next)
        }
        #expect(order == [7, 6, 3, 1, 2, 5])
    }

    @Test("Ten thousand come and go in order")
    func many() {
        let queue = queue(perHost: 1)
        for id in 1...10_000 { queue.enqueue(UInt64(id), host: "a", priority: .normal) }
        for id in 1...10_000 {
            #expect(queue.admit() == [UInt64(id)])
            queue.finished(UInt64(id))
        }
    }
}

/// The queue as an object, since `#expect` cannot change a value.
private final class QueueBox {
    private var queue: DownloadQueue

    init(_ queue: DownloadQueue) { self.queue = queue }

    func enqueue(_ id: UInt64, host: String, priority: LoadPriority) {
        queue.enqueue(id, host: host, priority: priority)
    }
    func requeue(_ id: UInt64, host: String, priority: LoadPriority) {
        queue.requeue(id, host: host, priority: priority)
    }
    func setPriority(_ priority: LoadPriority, of id: UInt64) { queue.setPriority(priority, of: id) }
    func setOrder(_ order: DownloaderConfiguration.ExecutionOrder) { queue.order = order }
    func setLimits(_ limits: DownloadQueue.Limits) { queue.limits = limits }
    func remove(_ id: UInt64) -> Bool { queue.remove(id) }
    func admit() -> [UInt64] { queue.admit() }
    func finished(_ id: UInt64) { queue.finished(id) }
    func noteMultiplexed(host: String) { queue.noteMultiplexed(host: host) }
}
