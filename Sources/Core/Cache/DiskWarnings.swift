import Synchronization

/// What has been told of the disk's faults, so that each is told once until it has gone.
final class DiskWarnings: Sendable {
    /// What was tried.
    enum Work {
        case reading
        case storing
    }

    private let told = Mutex<[Work: Set<SystemError>]>([:])
    private let hasTold = Atomic(false)

    /// Whether this is news.
    func isNew(_ work: Work, _ error: SystemError) -> Bool {
        hasTold.store(true, ordering: .relaxed)
        return told.withLock { $0[work, default: []].insert(error).inserted }
    }

    /// Notes that it works again. Costs next to nothing while it always did.
    func forget(_ work: Work) {
        guard hasTold.load(ordering: .relaxed) else { return }
        told.withLock { $0[work] = nil }
    }
}

extension DiskCache {
    /// Makes the error of a fault, and warns of it where it is news.
    func warned(
        _ work: DiskWarnings.Work, _ error: SystemError, _ code: ImageError.Code, _ message: String
    ) -> ImageError {
        let stage: LoadStage = work == .storing ? .store : .cache
        let failure = ImageError(code, stage, message, underlying: error)
        if warnings.isNew(work, error) { configuration.onWarning?(failure) }
        return failure
    }
}
