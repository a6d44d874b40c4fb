import Synchronization
import WebImageFoundation

/// Puts the body of one download on disk while it arrives, so that a process that dies loses only the end of it.
///
/// It reads what is here when its store's queue comes to it, a portion at a time: a slow disk costs no memory and holds
/// nobody up. A disk that is full, or refuses, ends it for this download, without a trace.
final class PartialRecorder: Sendable {
    /// Where bytes come from.
    struct Source: Sendable {
        var identity: BodyIdentity
        /// The bytes of the body from a place on, so many at most; none once the download is over.
        var read: @Sendable (_ offset: Int, _ maxByteCount: Int) -> Data
    }

    /// Of the store's queue.
    private struct State {
        var file: PartialFile?
        var isOff = false
    }

    private let store: ResumeStore
    private let request: HTTPRequest
    private let state: Mutex<State>
    private let mayHaveFile: Atomic<Bool>

    /// - Parameter file: What there is already.
    init(_ store: ResumeStore, _ request: HTTPRequest, _ file: PartialFile?) {
        self.store = store
        self.request = request
        state = Mutex(State(file: file))
        mayHaveFile = Atomic(file != nil)
    }

    /// There is more of the body. Returns at once.
    func record(_ source: Source) {
        mayHaveFile.store(true, ordering: .relaxed)
        store.perform { [self] in
            if write(source) { record(source) }
        }
    }

    /// The body begins anew: what was put on disk of it is of no use.
    func restart() {
        guard mayHaveFile.load(ordering: .relaxed) else { return }
        store.perform { [self] in discard() }
    }

    /// A try is over; what is left of it, which the next one goes on with.
    func align(with partial: PartialBody?) {
        guard mayHaveFile.load(ordering: .relaxed) else { return }
        store.perform { [self] in keep(partial) }
    }

    /// The download is over; what is left of it, to go on with some other time.
    func end(with partial: PartialBody?) {
        guard partial != nil || mayHaveFile.load(ordering: .relaxed) else { return }
        if let partial, !store.hold(partial, of: request) {
            // Too much waits for the disk: what is there already must do.
            return store.perform { [self] in close() }
        }
        store.perform { [self] in close(keeping: partial) }
    }

    // MARK: On the store's queue

    private func close(keeping partial: PartialBody?) {
        keep(partial)
        if let partial { store.letGo(partial, of: request) }
        close()
    }

    /// Lets others have the file.
    private func close() {
        state.withLock { $0.file = nil }
    }

    private func keep(_ partial: PartialBody?) {
        guard let partial else { return discard() }
        let source = Source(identity: partial.identity) { offset, maxByteCount in
            partial.data.dropFirst(offset).prefix(maxByteCount)
        }
        while write(source) {}
    }

    /// Writes the next portion; whether there may be another.
    private func write(_ source: Source) -> Bool {
        state.withLock { state in
            guard !state.isOff else { return false }
            if let file = state.file, file.identity != source.identity {
                store.remove(file, of: request)
                state.file = nil
            }
            let offset = state.file?.byteCount ?? 0
            let most = min(RecordingPlan.portionByteCount, store.maxBeginningByteCount - offset)
            let bytes = most > 0 ? source.read(offset, most) : Data()
            guard !bytes.isEmpty else { return false }
            do {
                let file = try state.file ?? store.makeFile(for: request, source.identity)
                state.file = file
                try store.append(bytes, to: file)
                return bytes.count == RecordingPlan.portionByteCount
            } catch {
                if let file = state.file { store.remove(file, of: request) }
                state.file = nil
                state.isOff = true
                return false
            }
        }
    }

    private func discard() {
        state.withLock { state in
            if let file = state.file { store.remove(file, of: request) }
            state.file = nil
        }
    }
}
