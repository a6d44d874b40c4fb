#if canImport(Darwin)
import Dispatch

/// Dispatch's source of memory pressure, until the watcher goes.
///
/// Unchecked: the source is made and resumed before anyone else can see it, and cancelling it is safe from any thread.
final class MemoryPressureWatcher: @unchecked Sendable {
    private let source: any DispatchSourceMemoryPressure

    init(_ watching: MemoryPressureWatching, onLevel: @escaping @Sendable (MemoryPressureLevel) -> Void) {
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: .global(qos: .utility))
        self.source = source
        source.setEventHandler { [unowned source] in
            onLevel(source.data.contains(.critical) ? .critical : .low)
        }
        source.setCancelHandler { watching.onEnd() }
        source.resume()
        watching.onBegin(1)
    }

    deinit {
        source.cancel()
    }
}
#endif
