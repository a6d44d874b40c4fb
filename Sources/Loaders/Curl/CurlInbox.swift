import CWebImageCurl
import Synchronization
import WebImageCore

/// The way from any thread to the transport's own: commands in order, and the bell that wakes it.
final class CurlInbox: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        /// The exchange's own pause and priority have changed.
        case adjust(CurlTransfer)
    }

    private struct State {
        var commands: [Command] = []
        /// There while the thread is.
        var multi: CurlMulti?
        /// Whether the thread sleeps, or is about to; only then the bell must ring.
        var isWaiting = false
        /// Whether the transport is gone: the thread ends with the last exchange.
        var isClosed = false
    }

    let configuration: CurlTransport.Configuration
    private let state = Mutex(State())

    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    /// Hands a command over; the first `start` starts the thread. `false` where a thread cannot be had.
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            if state.multi == nil {
                // A cancel without a thread comes after its exchange's end.
                guard case .start = command, let multi = launch() else { return false }
                state.multi = multi
            }
            state.commands.append(command)
            ring(&state)
            return true
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            ring(&state)
        }
    }

    /// Moves all commands into an empty array; called by the thread only. `false` when the thread must end, as the
    /// transport is gone and nothing is left to do; the inbox has then forgotten libcurl's handle.
    func take(into batch: inout [Command], isIdle: Bool) -> Bool {
        state.withLock { state in
            state.isWaiting = false
            swap(&state.commands, &batch)
            guard batch.isEmpty, isIdle, state.isClosed else { return true }
            state.multi = nil
            return false
        }
    }

    /// Whether the thread may sleep now; from then on a command rings the bell.
    func beginWaiting(isIdle: Bool) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !(isIdle && state.isClosed) else { return false }
            state.isWaiting = true
            return true
        }
    }

    /// Under the lock, so that the handle cannot go away meanwhile; it is one write to a pipe.
    private func ring(_ state: inout State) {
        guard state.isWaiting, let multi = state.multi else { return }
        state.isWaiting = false
        multi.ring()
    }

    private func launch() -> CurlMulti? {
        guard let multi = CurlMulti(configuration) else { return nil }
        // The engine is made on its thread, which alone has it.
        let isStarted = CurlThread.start { [self] in
            CurlEngine(multi: multi, inbox: self, configuration: configuration).run()
        }
        guard isStarted else {
            multi.destroy()
            return nil
        }
        return multi
    }
}

/// libcurl's multi handle, and the sockets that it wants to be told of.
///
/// `@unchecked Sendable`: `ring` may be called by any thread while the handle lives, which the inbox's lock sees to;
/// everything else is called by the transport's thread alone.
@safe struct CurlMulti: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
    private let sockets: OpaquePointer

    init?(_ configuration: CurlTransport.Configuration) {
        guard Self.isReady, let pointer = unsafe curl_multi_init() else { return nil }
        guard let sockets = unsafe cwebimage_curl_new_sockets(pointer) else {
            unsafe curl_multi_cleanup(pointer)
            return nil
        }
        unsafe self.pointer = pointer
        unsafe self.sockets = sockets
        let perHost = min(max(configuration.maxConnectionsPerHost, 1), 1000)
        unsafe cwebimage_curl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        unsafe cwebimage_curl_multi_set_long(pointer, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX)
        // libcurl's own bound shrinks with the number of exchanges: a pause would close connections that come in handy.
        unsafe cwebimage_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, Self.maxIdleConnectionCount)
    }

    /// Of all hosts together; the one idle for longest is closed first.
    private static let maxIdleConnectionCount = 64

    func destroy() {
        unsafe curl_multi_cleanup(pointer)
        unsafe cwebimage_curl_free_sockets(sockets)
    }

    /// Ends a wait that is under way, or the next one. Any thread.
    func ring() {
        unsafe cwebimage_curl_ring(sockets)
    }

    /// How many sockets libcurl wants to be told of.
    var socketCount: Int { unsafe cwebimage_curl_socket_count(sockets) }

    /// Returns when there is something to act on, when the bell rings, or after so many milliseconds; `false` where it
    /// cannot know whether there is something, and all exchanges are to be looked at.
    func wait(_ milliseconds: Int32) -> Bool {
        unsafe cwebimage_curl_wait(sockets, milliseconds) == 0
    }

    /// Has libcurl act on the next that is to be acted on; `false` when nothing is. All receiving happens in here.
    func act() throws(ImageError) -> Bool {
        var code = CURLM_OK
        switch unsafe cwebimage_curl_act(sockets, &code) {
        case cwebimage_curl_acted: return true
        case cwebimage_curl_nothing_left: return false
        default: throw CurlFault.multi(code)
        }
    }

    /// Has libcurl look at all exchanges, whether there is news of them or not.
    func actOnAll() throws(ImageError) {
        let code = unsafe cwebimage_curl_act_on_all(sockets)
        if code != CURLM_OK { throw CurlFault.multi(code) }
    }

    /// libcurl's own start-up, once in a process.
    private static let isReady: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
        cwebimage_curl_guard_exit()
        return true
    }()
}
