/// A question to a loader, which is answered exactly once and at once when cancelled, whatever the loader does: it may
/// be one of a user's own.
final class LoaderCall: ImageOperation {
    private let plan: LoadPlan
    private let sent: WallTime
    private let clock: any WallClock
    private let listener: Listener<ArrivedFile>
    private let step: CurrentStep

    init(
        _ plan: LoadPlan, clock: any WallClock, priority: LoadPriority,
        progress: @escaping Listener<ArrivedFile>.Progress
    ) {
        self.plan = plan
        self.clock = clock
        sent = clock.now
        listener = Listener(progress: progress)
        step = CurrentStep(priority: priority)
    }

    func start() {
        let operation = plan.loader.load(
            plan.request, progress: { self.listener.tell($0) }, completion: { self.finish($0) })
        step.become(operation)
    }

    /// The answer; to be asked for once.
    var result: Result<ArrivedFile, ImageError> {
        get async { await listener.result }
    }

    var priority: LoadPriority {
        get { step.priority }
        set { step.setPriority(newValue) }
    }

    func cancel() {
        step.cancel()
        listener.finish(.failure(.cancelled(.load)))
        step.end()
    }

    private func finish(_ result: Result<LoadedData, ImageError>) {
        listener.finish(
            result.map { ArrivedFile(loaded: $0, times: ExchangeTimes(sent: sent, received: clock.now)) })
        // The loader's operation may hold the closures that hold this.
        step.end()
    }
}
