import Synchronization
import WebImageFoundation

/// Counts what a manager does, and tells its observers.
final class LoadDiagnostics: Sendable {
    private static let loadCount = Atomic<UInt64>(0)

    private let observers: [LoadObserver]
    // Apart from the rest, since a memory hit is to cost next to nothing.
    private let memoryHitCount = Atomic<Int>(0)
    private let counts = Mutex(LoadCounts())

    init(observers: [LoadObserver]) {
        self.observers = observers
    }

    func trace(_ url: URL?) -> LoadTrace {
        let id = Self.loadCount.wrappingAdd(1, ordering: .relaxed).newValue
        return LoadTrace(id: id, url: url, diagnostics: self)
    }

    func tell(_ observation: @autoclosure () -> LoadObservation) {
        guard !observers.isEmpty else { return }
        let observation = observation()
        for observer in observers { observer.observe(observation) }
    }

    /// Whether anybody wants to be told.
    var isObserved: Bool { !observers.isEmpty }

    /// The time is only read where it counts.
    func count(_ result: Result<LoadResult, ImageError>, since start: Moment) {
        if case .success(let found) = result, found.source == .memory { return countMemoryHit() }
        let nanoseconds = start.elapsed
        counts.withLock { $0.add(result.map(\.source), nanoseconds) }
    }

    /// Loads of bytes alone count like all others.
    func count(_ result: Result<DataResult, ImageError>, since start: Moment) {
        let nanoseconds = start.elapsed
        counts.withLock { $0.add(result.map(\.source), nanoseconds) }
    }

    func countMemoryHit() {
        memoryHitCount.wrappingAdd(1, ordering: .relaxed)
    }

    func count(_ stage: LoadStage, nanoseconds: Int64) {
        counts.withLock { $0.stages[stage.place].add(nanoseconds: nanoseconds) }
    }

    func count(receivedByteCount: Int) {
        counts.withLock { $0.receivedByteCount &+= receivedByteCount }
    }

    var snapshot: (memoryHitCount: Int, counts: LoadCounts) {
        (memoryHitCount.load(ordering: .relaxed), counts.withLock { $0 })
    }
}

/// What became of loads.
struct LoadCounts {
    var diskHitCount = 0
    var networkLoadCount = 0
    var cancelledCount = 0
    var failureCounts: [ImageError.Code: Int] = [:]
    var receivedByteCount = 0
    var loads = DurationHistogram()
    /// In the order of the stages.
    var stages = LoadStage.allCases.map { _ in DurationHistogram() }

    mutating func add(_ result: Result<LoadSource, ImageError>, _ nanoseconds: Int64) {
        loads.add(nanoseconds: nanoseconds)
        switch result {
        case .success(let source): if source == .disk { diskHitCount += 1 } else { networkLoadCount += 1 }
        case .failure(let error):
            if error.isCancelled { cancelledCount += 1 } else { failureCounts[error.code, default: 0] += 1 }
        }
    }
}
