import Dispatch
import Foundation
import Synchronization
import WebImageCore
import WebImagePixels
import WebImageTesting

/// A transport whose exchanges a test answers in any order, and that knows whether one began while an equal one was
/// under way.
final class InterleavedTransport: HTTPTransport {
    struct Wire: Hashable {
        let url: URL
        let headers: HTTPHeaders
    }

    final class Exchange: HTTPTransfer {
        let wire: Wire
        private let receiver: any HTTPReceiver
        private let transport: InterleavedTransport
        private let cancelled = Atomic(false)

        /// Whether it was cancelled, be it after its end.
        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

        init(_ wire: Wire, _ receiver: any HTTPReceiver, _ transport: InterleavedTransport) {
            self.wire = wire
            self.receiver = receiver
            self.transport = transport
        }

        func cancel() {
            cancelled.store(true, ordering: .relaxed)
            end(.cancelled(.load))
        }

        /// Ends it with the URL's own bytes, or with an error; only the first end counts.
        func end(_ error: ImageError?) {
            guard transport.remove(self) else { return }
            let (wire, receiver) = (wire, receiver)
            transport.thread.async {
                guard error == nil else { return receiver.didFinish(error) }
                let body = Data(wire.url.absoluteString.utf8)
                receiver.didReceive(
                    HTTPResponse(url: wire.url, statusCode: 200, headers: [:], expectedByteCount: body.count))
                body.withUnsafeBytes { receiver.didReceive($0) }
                receiver.didFinish(nil)
            }
        }
    }

    private struct State {
        var live: [Exchange] = []
        var startCounts: [URL: Int] = [:]
        var overtaken: [Exchange] = []
    }

    fileprivate let thread = DispatchQueue(label: "interleaved")
    private let state = Mutex(State())

    var live: [Exchange] { state.withLock { $0.live } }
    /// Those during which an equal one began. Each must be on its way to be cancelled then, for nobody waits for it.
    var overtaken: [Exchange] { state.withLock { $0.overtaken } }

    func startCount(of url: URL) -> Int { state.withLock { $0.startCounts[url] ?? 0 } }

    func start(_ request: HTTPRequest, receiver: any HTTPReceiver) -> any HTTPTransfer {
        let exchange = Exchange(Wire(url: request.url, headers: request.headers), receiver, self)
        state.withLock { state in
            state.overtaken += state.live.filter { $0.wire == exchange.wire }
            state.startCounts[request.url, default: 0] += 1
            state.live.append(exchange)
        }
        return exchange
    }

    private func remove(_ exchange: Exchange) -> Bool {
        state.withLock { state in
            guard let place = state.live.firstIndex(where: { $0 === exchange }) else { return false }
            state.live.remove(at: place)
            return true
        }
    }
}

/// Any bytes are a picture, but for those whose text ends in `broken`; counts the decodes of each.
final class InterleavedCoder: ImageCoder {
    private let counts = Mutex<[Data: Int]>([:])

    func decodeCount(of data: Data) -> Int { counts.withLock { $0[data] ?? 0 } }
    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { ImageProbe(format: .png, size: PixelSize(4, 4)) }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        counts.withLock { $0[data, default: 0] += 1 }
        guard !data.suffix(6).elementsEqual("broken".utf8) else { throw ImageError(.badImageData, .decode, "broken") }
        let size = options.targetSize(for: PixelSize(4, 4))
        return DecodedImage(pixels: PixelBuffer(size: size)!, attributes: .init(format: .png))
    }
    func canEncode(to format: ImageFormat) -> Bool { true }
    func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data { Data("\(image.pixelSize)".utf8) }
}

/// One load, and what it was told.
final class InterleavedLoad: Sendable {
    private struct State {
        var completions = 0
        var toldAfterEnd = 0
        var isCancelled = false
        var successesAfterCancel = 0
        var operation: LoadOperation?
    }

    private let state = Mutex(State())

    var hasEnded: Bool { state.withLock { $0.completions > 0 } }
    /// Exactly one end, nothing after it, and no picture once a cancel had returned.
    var keepsContract: Bool {
        state.withLock { $0.completions == 1 && $0.toldAfterEnd == 0 && $0.successesAfterCancel == 0 }
    }
    var operation: LoadOperation? { state.withLock { $0.operation } }

    func start(_ request: ImageRequest, _ manager: ImageManager) {
        let operation = manager.load(request) { [self] _ in
            state.withLock { if $0.completions > 0 { $0.toldAfterEnd += 1 } }
        } completion: { [self] result in
            state.withLock { state in
                state.completions += 1
                if state.isCancelled, case .success = result { state.successesAfterCancel += 1 }
            }
        }
        state.withLock { $0.operation = operation }
    }

    /// One that comes while the end is just told on another thread cancels nothing.
    func cancel() {
        guard let operation else { return }
        operation.cancel()
        state.withLock { $0.isCancelled = operation.isCancelled }
    }
}
