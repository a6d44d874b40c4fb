#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Threads for what blocks, in a socket or at a gate: Swift's cooperative pool must not be held up by it.
enum TestThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs the body on a new thread; ends the process when there can be none.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        let fault = start(context)
        precondition(fault == 0, "no thread for the scripted server: error \(fault)")
    }
}

#if canImport(Glibc)
extension TestThread {
    private static func start(_ context: UnsafeMutableRawPointer) -> Int32 {
        var thread = pthread_t()
        let fault = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        if fault == 0 { pthread_detach(thread) }
        return fault
    }
}
#else
extension TestThread {
    private static func start(_ context: UnsafeMutableRawPointer) -> Int32 {
        var thread: pthread_t?
        let fault = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        if fault == 0, let thread { pthread_detach(thread) }
        return fault
    }
}
#endif
