import WebImage
import WebImageFoundation

/// Fetches what the arguments name, a bounded number at once, and tells of each as it is done.
struct FetchJob: Sendable {
    private let settings: FetchSettings
    private let console: Console
    private let manager: ImageManager

    init(_ settings: FetchSettings, _ console: Console) {
        self.settings = settings
        self.console = console
        var configuration = ImageManager.Configuration()
        // Nothing waits for these but the tool itself.
        configuration.maxConcurrentEncodes = configuration.maxConcurrentDecodes
        manager = ImageManager(
            cache: ImageCache.shared, loader: LoadersManager.shared, coder: CodersManager.shared,
            configuration: configuration)
    }

    func run() async -> ExitStatus {
        prepareSharedParts()
        let list = SourceList(settings.arguments)
        for failure in list.failures { report(unreadable: failure) }
        let folder = settings.outputFolder.map {
            OutputFolder($0, sources: list.sources, format: settings.format)
        }
        do throws(ImageError) {
            try folder?.prepare()
        } catch {
            console.report(Failure(error, of: settings.outputFolder ?? ""))
            return .failure
        }
        var failureCount = list.failures.count
        for round in 1...settings.roundCount where !Task.isCancelled {
            failureCount += await runRound(round, FetchWork(settings, console, manager, folder), list.sources)
        }
        return ExitStatus(failureCount: failureCount)
    }

    private func prepareSharedParts() {
        if let timeout = settings.timeout {
            ImageDownloader.shared.configuration.downloadTimeout = timeout
            // Who waits long for the next byte waits as long for slow ones.
            let usual = ImageDownloader.shared.configuration.slowTransferDuration
            ImageDownloader.shared.configuration.slowTransferDuration = max(usual, timeout)
        }
        // In a single round memory serves only pictures that are named twice.
        let cache = ImageCache.shared
        if settings.roundCount == 1 {
            cache.configuration.maxMemoryCost = min(cache.configuration.maxMemoryCost, 64 << 20)
        }
    }

    /// - Returns: How many pictures failed, or could not be stored.
    private func runRound(_ round: Int, _ work: FetchWork, _ sources: [PictureSource]) async -> Int {
        var tally = FetchTally()
        startProgress(sources.count)
        await withTaskGroup(of: FetchOutcome.self) { group in
            var upcoming = sources.enumerated().makeIterator()
            for _ in 0..<settings.maxConcurrentLoads {
                guard let (number, source) = upcoming.next() else { break }
                group.addTask { await work.fetch(source, number) }
            }
            for await outcome in group {
                tally.note(outcome)
                report(outcome)
                guard !Task.isCancelled, let (number, source) = upcoming.next() else { continue }
                group.addTask { await work.fetch(source, number) }
            }
        }
        console.finish()
        report(tally, round)
        return tally.failedCount + tally.notStoredCount
    }

    private func startProgress(_ count: Int) {
        guard settings.report != .failuresOnly, Console.canShowProgress else { return }
        console.startProgress(of: ProgressBoard(total: count))
    }

    private func report(_ outcome: FetchOutcome) {
        for failure in outcome.failures { console.report(failure) }
        guard !outcome.isCancelled else { return }
        switch settings.report {
        case .json: console.print(outcome.json.text)
        case .lines: if outcome.origin != nil { console.print(outcome.line) }
        case .failuresOnly: break
        }
    }

    private func report(unreadable failure: Failure) {
        console.report(failure)
        guard settings.report == .json else { return }
        var outcome = FetchOutcome(PictureSource(failure.source))
        outcome.failures = [failure]
        console.print(outcome.json.text)
    }

    private func report(_ tally: FetchTally, _ round: Int) {
        let title = settings.roundCount > 1 ? "round \(round): " : ""
        let ending = Task.isCancelled ? "; interrupted" : ""
        switch settings.report {
        case .lines: console.print(title + tally.line + ending)
        case .json where Console.canShowProgress: console.report(title + tally.line + ending)
        case .json, .failuresOnly: break
        }
    }
}
