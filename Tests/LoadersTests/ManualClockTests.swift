import Synchronization
import Testing
import WebImageTesting

@Suite("ManualClock", .timeLimit(.minutes(20)))
struct ManualClockTests {
    let clock = ManualClock()

    @Test("time stands still until it is advanced, and never goes back")
    func advance() {
        #expect(clock.now.offset == .zero)
        clock.advance(by: .seconds(2))
        clock.advance(by: .seconds(-1))
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("a sleeper wakes when its time has come, not before")
    func wakes() async throws {
        let (clock, woken) = (clock, Gate())
        let sleeper = Task {
            try await clock.sleep(for: .seconds(3))
            woken.open()
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 0)
        try await sleeper.value
        #expect(woken.isOpen)
    }

    @Test("only those whose time has come wake")
    func several() async throws {
        let clock = clock
        let sleepers = (1...3).map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.waitForSleepers(3)
        for left in [2, 1, 0] {
            clock.advance(by: .seconds(1))
            #expect(clock.sleeperCount == left)
        }
        for sleeper in sleepers { try await sleeper.value }
    }

    @Test("a time that has passed is not slept for")
    func passed() async throws {
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: .init(offset: .seconds(5)))
        #expect(clock.sleeperCount == 0)
    }

    @Test("a cancelled sleeper throws at once and is forgotten; the clock goes on")
    func cancels() async throws {
        let clock = clock
        let sleeper = Task { try await clock.sleep(for: .seconds(3)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .seconds(3))
    }

    @Test("a task that was cancelled before does not fall asleep")
    func cancelledBefore() async {
        let (clock, gate) = (clock, Gate())
        let sleeper = Task {
            await gate.wait()
            try await clock.sleep(for: .seconds(3))
        }
        sleeper.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }
}

@Suite("Gate", .timeLimit(.minutes(20)))
struct GateTests {
    @Test("all wait until it opens, then all pass")
    func opens() async {
        let (gate, passed) = (Gate(), Counter())
        let tasks = (0..<10).map { _ in
            Task {
                await gate.wait()
                passed.increment()
            }
        }
        await gate.waitForArrivals(10)
        #expect(passed.value == 0)
        gate.open()
        gate.open()
        for task in tasks { await task.value }
        #expect(passed.value == 10)
        await gate.wait()
        gate.waitBlocking()
        #expect(gate.isOpen)
        #expect(gate.arrivalCount == 12)
    }
}
