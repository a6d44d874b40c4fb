import CWebImageWebP
import WebImageCore

/// Asks a monitor for libwebp, whose calls cannot throw.
final class WebPWatch {
    private let monitor: DecodeMonitor
    /// Why the encode ended.
    private(set) var error: ImageError?

    init(_ monitor: DecodeMonitor) {
        self.monitor = monitor
    }

    /// What libwebp calls on the thread that encodes; 0 ends it. The picture's `user_data` is a watch.
    static var hook: WebPProgressHook {
        { _, picture in
            guard let data = unsafe picture?.pointee.user_data else { return 1 }
            return unsafe Unmanaged<WebPWatch>.fromOpaque(data).takeUnretainedValue().goesOn ? 1 : 0
        }
    }

    private var goesOn: Bool {
        do throws(ImageError) {
            try monitor.check()
            return true
        } catch {
            self.error = error
            return false
        }
    }
}
