public import WebImageFoundation

/// Is told what happens to the loads of a manager: for logs, traces and measurements.
public struct LoadObserver: Sendable {
    private let closure: @Sendable (LoadObservation) -> Void

    /// An observer. The closure is called on whatever thread a thing happens, from several at once, and must be short:
    /// the load waits for it.
    public init(_ closure: @escaping @Sendable (LoadObservation) -> Void) {
        self.closure = closure
    }

    func observe(_ observation: LoadObservation) { closure(observation) }
}

/// One thing that happened to a load.
public struct LoadObservation: Sendable {
    /// The load: another number for each of a process.
    public let id: UInt64
    /// What it is to load.
    public let url: URL?
    /// What happened.
    public let kind: Kind

    /// What can happen. Begin and end come in pairs, also when a load is cancelled.
    ///
    /// The stages are told that take time: cache when the disk is looked into, load, decode, transform and store. What
    /// memory answers has none. Loads of bytes alone (`ImageManager.data(for:)`) tell cache and load, and no begin
    /// and end of a load.
    public enum Kind: Sendable {
        /// The load was asked for.
        case loadBegan
        /// Work of a stage began. Work that several loads share is told once, for the load that began it.
        case stageBegan(LoadStage)
        /// It ended after so long, with an error where there is one.
        case stageEnded(LoadStage, Duration, ImageError?)
        /// The load ended after so long. What it leaves behind may still be told: shared work that it began, and
        /// the store stage of one that does not wait for it.
        case loadEnded(Result<LoadResult, ImageError>, Duration)
    }
}

extension LoadObservation: CustomStringConvertible, CustomDebugStringConvertible {
    /// `12 https://h/a.png: stage load began`; without the URL's credentials.
    public var description: String { "\(id) \(url.map(\.withoutCredentials) ?? "no URL"): \(kind)" }
    /// As `description`.
    public var debugDescription: String { description }
}

extension LoadObservation.Kind: CustomStringConvertible {
    /// In words.
    public var description: String {
        switch self {
        case .loadBegan: "the load began"
        case .stageBegan(let stage): "stage \(stage.rawValue) began"
        case .stageEnded(let stage, let duration, let error):
            "stage \(stage.rawValue) ended after \(duration)" + (error.map { ", \($0)" } ?? "")
        case .loadEnded(.success(let result), let duration):
            "the load ended after \(duration) with a picture from \(result.source)"
        case .loadEnded(.failure(let error), let duration): "the load ended after \(duration), \(error)"
        }
    }
}

/// One load as its observers know it. A value that costs a number as long as nobody observes.
struct LoadTrace: Sendable {
    let id: UInt64
    let url: URL?
    let diagnostics: LoadDiagnostics
    let start = Moment.now

    func began() {
        guard diagnostics.isObserved else { return }
        diagnostics.tell(LoadObservation(id: id, url: url, kind: .loadBegan))
    }

    func ended(_ result: Result<LoadResult, ImageError>) {
        diagnostics.count(result, since: start)
        tellEnd(result)
    }

    /// The same for a load that memory answered.
    func ended(inMemory result: LoadResult) {
        diagnostics.countMemoryHit()
        tellEnd(.success(result))
    }

    /// The end of a load of bytes alone, which is counted and not told.
    func ended(_ result: Result<DataResult, ImageError>) {
        diagnostics.count(result, since: start)
    }

    private func tellEnd(_ result: @autoclosure () -> Result<LoadResult, ImageError>) {
        guard diagnostics.isObserved else { return }
        diagnostics.tell(
            LoadObservation(id: id, url: url, kind: .loadEnded(result(), .nanoseconds(start.elapsed))))
    }
}

extension LoadPlan {
    /// Does the work of a stage, and notes how long it took in the timings too.
    func span<Value: Sendable>(
        _ stage: LoadStage, _ timings: inout LoadTimings,
        _ work: () async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let start = stageBegan(stage)
        do throws(ImageError) {
            let value = try await work()
            timings.add(nanoseconds: stageEnded(stage, start, nil), to: stage)
            return value
        } catch {
            timings.add(nanoseconds: stageEnded(stage, start, error), to: stage)
            throw error
        }
    }

    // Neither is inlined: what observers are told would lie in the memory of every task that waits for a stage.

    @inline(never)
    func stageBegan(_ stage: LoadStage) -> Moment {
        diagnostics.tell(LoadObservation(id: loadID, url: url, kind: .stageBegan(stage)))
        return .now
    }

    /// How many nanoseconds it took.
    @inline(never)
    @discardableResult
    func stageEnded(_ stage: LoadStage, _ start: Moment, _ error: ImageError?) -> Int64 {
        let nanoseconds = start.elapsed
        diagnostics.count(stage, nanoseconds: nanoseconds)
        diagnostics.tell(
            LoadObservation(id: loadID, url: url, kind: .stageEnded(stage, .nanoseconds(nanoseconds), error)))
        return nanoseconds
    }
}
