import Synchronization

/// A folder that is held open, so that a file in it is found by its name alone and not along the whole path, which
/// costs a tenth of reading a file of 20 kB.
///
/// Others may move the folder away and put another one in its place. That is noticed within a second, at once where a
/// file is not found, and at once after `checkAgain`.
final class OpenFolder: Sendable {
    /// Without a link in the last place, which would not be followed.
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var place: Place?
        /// Until when a folder that was there is taken to be there still.
        var nextCheck: ContinuousClock.Instant?
    }

    private final class Place: Sendable {
        let folder: FileDescriptor
        private let number: UInt64

        init(_ path: String) throws(SystemError) {
            folder = try FileDescriptor(path, .place)
            number = try folder.status().fileNumber
        }

        func isAt(_ path: String) -> Bool { (try? FileSystem.status(path))?.fileNumber == number }
    }

    /// The folder need not be there yet.
    init(_ path: String) {
        self.path = path + "/."
    }

    /// Opens a file to read it.
    func file(_ name: String) throws(SystemError) -> FileDescriptor {
        let place = try current(isNeeded: false)
        do throws(SystemError) {
            return try FileDescriptor(name, in: place.folder)
        } catch {
            guard error == .noSuchFile else { throw error }
            let now = try current(isNeeded: true)
            guard now !== place else { throw error }
            return try FileDescriptor(name, in: now.folder)
        }
    }

    /// Has the next look for a file find the folder that is there then: one who has just stored must read it.
    func checkAgain() {
        state.withLock { $0.nextCheck = nil }
    }

    private func current(isNeeded: Bool) throws(SystemError) -> Place {
        try state.withLock { state throws(SystemError) in
            if !isNeeded, let place = state.place, let next = state.nextCheck, ContinuousClock.now < next {
                return place
            }
            if let place = state.place, place.isAt(path) {
                state.nextCheck = .now + .seconds(1)
                return place
            }
            state.place = nil
            let place = try Place(path)
            state = State(place: place, nextCheck: .now + .seconds(1))
            return place
        }
    }
}
