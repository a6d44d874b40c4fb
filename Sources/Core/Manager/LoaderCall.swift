import Synchronization

/// A question to a loader, of which the first answer counts, whatever the loader does: it may be one of a user's own.
final class LoaderCall: ImageOperation {
    private let plan: LoadPlan
    private let report: ArrivedFiles.Calls.Reporter
    private let sent: WallTime
    private let beginning = ContinuousClock.now
    /// As they are now: a loader's own may be others when the answer comes.
    private let headers: HTTPHeaders
    private let clock: any WallClock
    private let step: CurrentStep
    private let hasEnded = Atomic(false)

    /// - Parameter report: Who is told.
    init(_ plan: LoadPlan, clock: any WallClock, priority: LoadPriority, report: ArrivedFiles.Calls.Reporter) {
        self.plan = plan
        self.report = report
        self.clock = clock
        sent = clock.now
        headers = plan.loader.headers(for: plan.request)
        step = CurrentStep(priority: priority)
    }

    func start() {
        let operation = plan.loader.load(
            plan.request, progress: { self.report.progress($0) }, completion: { self.finish($0) })
        step.become(operation)
    }

    var priority: LoadPriority {
        get { step.priority }
        set { step.setPriority(newValue) }
    }

    func cancel() {
        step.cancel()
        step.end()
    }

    private func finish(_ result: Result<LoadedData, ImageError>) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        let times = ExchangeTimes(sent: sent, received: clock.now)
        switch result {
        case .success(var loaded):
            plan.diagnostics.count(receivedByteCount: loaded.data.count)
            loaded.response?.noteRequest(at: beginning)
            report.finish(.success(ArrivedFile(loaded: loaded, times: times, requestHeaders: headers)))
        case .failure(var error):
            if var response = error.response {
                response.noteRequest(at: beginning)
                error.response = response
            }
            report.finish(.failure(error))
        }
        // The loader's operation may hold the closures that hold this.
        step.end()
    }
}

extension HTTPResponse {
    /// Notes when it was asked for, at the earliest, where the loader does not say.
    fileprivate mutating func noteRequest(at start: ContinuousClock.Instant) {
        requestedAt = requestedAt ?? start
    }
}
