/// A question to a loader, of which the first answer counts, whatever the loader does: it may be one of a user's own.
final class LoaderCall: ImageOperation {
    private let plan: LoadPlan
    private let report: ArrivedFiles.Calls.Reporter
    private let sent: WallTime
    private let clock: any WallClock
    private let step: CurrentStep

    /// - Parameter report: Who is told.
    init(_ plan: LoadPlan, clock: any WallClock, priority: LoadPriority, report: ArrivedFiles.Calls.Reporter) {
        self.plan = plan
        self.report = report
        self.clock = clock
        sent = clock.now
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
        report.finish(result.map { ArrivedFile(loaded: $0, times: ExchangeTimes(sent: sent, received: clock.now)) })
        // The loader's operation may hold the closures that hold this.
        step.end()
    }
}
