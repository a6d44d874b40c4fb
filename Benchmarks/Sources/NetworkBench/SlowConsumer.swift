import Dispatch
import Foundation
import Synchronization
import WebImageCore
import WebImageCurl

/// A body of 500 MB for one who holds it back after every part: what that costs in memory.
enum SlowConsumer {
    static func run(_ url: URL) async throws {
        let transport = CurlTransport()
        let before = Resident.now
        let receiver = PausingReceiver()
        receiver.transfer = transport.start(HTTPRequest(url: url), receiver: receiver)
        let byteCount = await receiver.ended()
        guard byteCount == 500_000_000 else { NetworkBench.fail("\(byteCount) bytes came") }
        print(String(format: "cost %.2f", Double(Resident.peak - before) / 1e6))
    }
}

/// Pauses at each megabyte and goes on a millisecond later.
private final class PausingReceiver: HTTPReceiver {
    private struct State {
        var transfer: (any HTTPTransfer)?
        var byteCount = 0
        var nextPause = 1_000_000
        var continuation: CheckedContinuation<Int, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    var transfer: (any HTTPTransfer)? {
        get { state.withLock { $0.transfer } }
        set { state.withLock { $0.transfer = newValue } }
    }

    func ended() async -> Int {
        await withCheckedContinuation { continuation in
            let count: Int? = state.withLock { state in
                if state.isOver { return state.byteCount }
                state.continuation = continuation
                return nil
            }
            if let count { continuation.resume(returning: count) }
        }
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
        let (continuation, count) = state.withLock { state in
            state.isOver = true
            return (state.continuation.take(), state.byteCount)
        }
        continuation?.resume(returning: count)
    }
}
