import CWebImageCurl
import WebImageCore

/// What runs on the transport's thread: takes commands, lets libcurl move, tells ends.
///
/// Not `Sendable`: it is made on its thread, and only that thread touches it.
final class CurlEngine {
    private let multi: CurlMulti
    private let inbox: CurlInbox
    private let configuration: CurlTransport.Configuration
    private var running: [CurlTransfer] = []
    /// How many of them may share a connection: those of HTTP/2, which is spoken over TLS only.
    private var secureCount = 0
    /// Handles for the next exchanges: making one anew costs more than a small download.
    private var spareHandles: [CurlHandle] = []
    private var silence = SilenceWatch()
    /// Whether the last wait could tell which sockets have news.
    private var knowsNews = true
    private var cookies: [CookieJar: CurlCookies] = [:]

    private static let maxSpareHandleCount = 64

    init(multi: CurlMulti, inbox: CurlInbox, configuration: CurlTransport.Configuration) {
        self.multi = multi
        self.inbox = inbox
        self.configuration = configuration
    }

    /// Returns when the transport is gone and the last exchange is over.
    func run() {
        var batch: [CurlInbox.Command] = []
        cwebimage_curl_enter()
        while inbox.take(into: &batch, isIdle: running.isEmpty) {
            for command in batch { apply(command) }
            batch.removeAll(keepingCapacity: true)
            move()
            lookAround()
            wait()
        }
        spareHandles.removeAll()
        cookies.removeAll()
        multi.destroy()
        cwebimage_curl_leave()
    }

    private func apply(_ command: CurlInbox.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): end(transfer, .cancelled(.load))
        case .adjust(let transfer): adjust(transfer)
        }
    }

    /// libcurl may hand over in here what it held back, and has nobody but us to tell that this failed.
    private func adjust(_ transfer: CurlTransfer) {
        let code = transfer.adjust()
        if code != CURLE_OK { end(transfer, transfer.outcome(of: code)) }
    }

    private func start(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled else { return transfer.finish(.cancelled(.load)) }
        guard let handle = spareHandles.popLast() ?? CurlHandle() else { return transfer.finish(CurlFault.noMemory) }
        do {
            try handle.prepare(for: transfer, configuration)
            if let jar = transfer.request.cookieJar { try cookies(in: jar).use(in: handle) }
        } catch {
            recycle(handle, wentWell: false)
            return transfer.finish(error)
        }
        transfer.begin(with: handle, at: running.count)
        if transfer.isSecure { secureCount += 1 }
        running.append(transfer)
        let code = unsafe curl_multi_add_handle(multi.pointer, handle.easy)
        if code != CURLM_OK { end(transfer, CurlFault.multi(code)) }
    }

    /// Tells each end before it looks at the next socket: whoever has the body may let go of its memory, which the next
    /// body then finds still in the processor's cache.
    ///
    /// Where sockets carry many exchanges each, libcurl takes more steps to look at those of one than at all.
    private func move() {
        attempt { () throws(ImageError) in
            if !knowsNews || secureCount > multi.socketCount { return try multi.actOnAll() }
            while try multi.act() { tellEnds() }
        }
        // Some end without a socket: those that a command has just begun or ended.
        tellEnds()
    }

    private func attempt(_ action: () throws(ImageError) -> Void) {
        do throws(ImageError) {
            try action()
        } catch {
            // libcurl itself is broken, out of memory most likely: each exchange gets its end rather than none.
            for transfer in running { end(transfer, error) }
        }
    }

    private func tellEnds() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi.pointer, &left) {
            // The message dies when its handle is removed.
            let (easy, code) = unsafe (message.pointee.easy_handle, message.pointee.data.result)
            guard let transfer = unsafe CurlHandle.transfer(of: easy) else { continue }
            end(transfer, transfer.outcome(of: code))
        }
    }

    /// Now and then.
    private func lookAround() {
        guard let elapsed = silence.tick() else { return }
        attempt { () throws(ImageError) in try multi.actOnAll() }
        tellEnds()
        for transfer in silence.silent(among: running, elapsed: elapsed) {
            end(transfer, CurlFault.silence(of: transfer.request))
        }
    }

    /// At most until the next look for silent servers; for ever when nothing runs.
    private func wait() {
        let longest = running.isEmpty ? Int32.max : SilenceWatch.tickMilliseconds
        // Commands that came meanwhile must not keep the sockets waiting for ever.
        let milliseconds = inbox.beginWaiting(isIdle: running.isEmpty) ? longest : 0
        cwebimage_curl_leave()
        knowsNews = multi.wait(milliseconds)
        cwebimage_curl_enter()
    }

    /// Takes an exchange out and tells its end; does nothing when it is over. Never called from within libcurl.
    private func end(_ transfer: CurlTransfer, _ error: ImageError?) {
        guard let (handle, place) = transfer.detach() else { return }
        if transfer.isSecure { secureCount -= 1 }
        transfer.tell(handle.metrics)
        unsafe curl_multi_remove_handle(multi.pointer, handle.easy)
        recycle(handle, wentWell: error == nil)
        if let last = running.popLast(), last !== transfer {
            running[place] = last
            last.move(to: place)
        }
        transfer.finish(error)
    }

    private func cookies(in jar: CookieJar) throws(ImageError) -> CurlCookies {
        if let known = cookies[jar] { return known }
        let new = try CurlCookies()
        cookies[jar] = new
        return new
    }

    private func recycle(_ handle: CurlHandle, wentWell: Bool) {
        handle.clear(wentWell: wentWell)
        if spareHandles.count < Self.maxSpareHandleCount { spareHandles.append(handle) }
    }
}
