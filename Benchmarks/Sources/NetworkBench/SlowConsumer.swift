import Dispatch
import FoundationEssentials
import Synchronization
import WebImageCore
import WebImageCurl

/// A body of 500 MB for one who holds it back after every part: what that costs in memory.
enum SlowConsumer {
    static func run(_ url: URL) {
        let transport = CurlTransport()
        let before = Resident.now
        let receiver = PausingReceiver()
        receiver.transfer = transport.start(HTTPRequest(url: url), receiver: receiver)
        let byteCount = receiver.wait()
        guard byteCount == 500_000_000 else { NetworkBench.fail("\(byteCount) bytes came") }
        print("cost \(NetworkBench.text(Double(Resident.peak - before) / 1e6))")
    }
}

/// Pauses at each megabyte and goes on a millisecond later.
private final class PausingReceiver: HTTPReceiver {
    private struct State {
        var transfer: (any HTTPTransfer)?
        var byteCount = 0
        var nextPause = 1_000_000
    }

    private let state = Mutex(State())
    private let end = DispatchSemaphore(value: 0)

    var transfer: (any HTTPTransfer)? {
        get { state.withLock { $0.transfer } }
        set { state.withLock { $0.transfer = newValue } }
    }

    /// Returns how many bytes came, once the exchange is over.
    func wait() -> Int {
        end.wait()
        return state.withLock { $0.byteCount }
    }

    func didReceive(_ response: HTTPResponse) {}

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        let held: (any HTTPTransfer)? = state.withLock { state in
            state.byteCount += count
            guard state.byteCount >= state.nextPause else { return nil }
            state.nextPause += 1_000_000
            return state.transfer
        }
        guard let held else { return }
        held.pause()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { held.resume() }
    }

    func didFinish(_ error: ImageError?) {
        end.signal()
    }
}
