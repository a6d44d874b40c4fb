import CWebImageCurl

/// Threads of the transport's own: those of queues and tasks must not be blocked, and end the process where it has no
/// descriptors left.
enum CurlThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs the body on a new thread; `false` where there can be none.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Body(run))
        let fault = unsafe cwebimage_curl_start_thread(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }, context.toOpaque())
        if fault != 0 { unsafe context.release() }
        return fault == 0
    }
}
