#if os(Linux) || os(Android)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that waits for the kernel to say that memory is short, until the watcher goes.
final class MemoryPressureWatcher: Sendable {
    private let end: EndSignal?

    /// Starts the thread; nothing is watched where there can be none.
    init(_ watching: MemoryPressureWatching, onLevel: @escaping @Sendable (MemoryPressureLevel) -> Void) {
        guard let signal = MemoryPressurePlace.signal() else {
            end = nil
            return
        }
        let end = EndSignal(signal)
        self.end = end
        let work = ThreadBody { Self.watch(watching, until: end, onLevel) }
        let context = unsafe Unmanaged.passRetained(work).toOpaque()
        var thread = pthread_t()
        let fault = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        if fault == 0 { pthread_detach(thread) } else { unsafe Unmanaged<ThreadBody>.fromOpaque(context).release() }
    }

    deinit {
        end?.send()
    }

    private static func watch(
        _ watching: MemoryPressureWatching, until end: EndSignal, _ onLevel: (MemoryPressureLevel) -> Void
    ) {
        var places = MemoryPressurePlace.all(root: watching.root)
        var filter = MemoryPressureFilter(interval: watching.interval)
        watching.onBegin(places.count)
        while !places.isEmpty {
            var polled = [pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)]
            polled += places.map { pollfd(fd: $0.file.number, events: $0.events, revents: 0) }
            let count = unsafe poll(&polled, nfds_t(polled.count), -1)
            guard count > 0 || errno == EINTR else { break }
            guard count > 0 else { continue }
            if polled[0].revents != 0 { break }
            let news = zip(places, polled.dropFirst()).filter { $0.1.revents != 0 }
            // A group that was removed has nothing to tell and would be found again at once.
            let gone = news.filter { $0.1.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 }.map(\.0)
            places.removeAll { place in gone.contains { $0 === place } }
            let level = news.filter { place, _ in !gone.contains { $0 === place } }
                .compactMap { $0.level(of: $1.revents) }.max()
            if let level, filter.passes(level, at: .now) { onLevel(level) }
        }
        watching.onEnd()
    }
}

/// What a new thread runs.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Wakes a thread that polls, for good.
private final class EndSignal: Sendable {
    private let file: FileDescriptor

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    var number: Int32 { file.number }

    func send() {
        let one: UInt64 = 1
        _ = unsafe withUnsafeBytes(of: one) { unsafe SystemCall.writeBytes(number, $0) }
    }
}
#endif
