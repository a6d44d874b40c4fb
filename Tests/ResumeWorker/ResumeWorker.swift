import Foundation
import Synchronization
import WebImageCore
import WebImageCurl

/// The process that the tests of resuming start and kill: downloads a URL, with a store of beginnings in a folder.
///
/// `ResumeWorker FOLDER URL [COUNT | blind]`. Tells how many bytes it has in the end, or why it has none. With a count
/// it has only so many file descriptors left, and no store. With `blind` the limit of descriptors falls below those in
/// use once the body begins, and the milliseconds of processor time from then on are told too.
@main
enum ResumeWorker {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let url = URL(string: arguments[2]) else {
            fatalError("usage: ResumeWorker FOLDER URL [COUNT | blind]")
        }
        if arguments.last == "blind" { return exchangeBlindly(url) }
        if arguments.count > 3, let count = Int(arguments[3]) { return exchange(url, descriptorCount: count) }
        var configuration = DownloaderConfiguration()
        configuration.resumeStore = ResumeStore(folder: URL(filePath: arguments[1]))
        configuration.downloadTimeout = 3600
        configuration.minimumByteRate = 0
        let downloader = ImageDownloader(transport: CurlTransport(), configuration: configuration)
        let end = DispatchSemaphore(value: 0)
        downloader.download(ImageRequest(url)) { result in
            switch result {
            case .success(let loaded): print(loaded.data.count)
            case .failure(let error): print(error.message)
            }
            end.signal()
        }
        end.wait()
    }

    /// The transport alone: Dispatch watches its threads by files of `/proc`, and ends a process that cannot open them.
    private static func exchange(_ url: URL, descriptorCount: Int) {
        let (transport, receiver) = (CurlTransport(), CountingReceiver())
        leaveDescriptors(descriptorCount)
        _ = transport.start(HTTPRequest(url: url, timeout: 3600), receiver: receiver)
        receiver.end.wait()
    }

    /// `poll` refuses to look at more sockets than the limit of descriptors.
    private static func exchangeBlindly(_ url: URL) {
        let (transport, receiver) = (CurlTransport(), CountingReceiver { setLimit(1) })
        _ = transport.start(HTTPRequest(url: url, timeout: 1), receiver: receiver)
        receiver.begin.wait()
        let start = processorMilliseconds
        receiver.end.wait()
        print(processorMilliseconds - start)
    }

    private static var processorMilliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }

    private static func setLimit(_ count: rlim_t) {
        var limit = rlimit(rlim_cur: count, rlim_max: 64)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func leaveDescriptors(_ count: Int) {
        setLimit(64)
        var taken: [Int32] = []
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            guard descriptor >= 0 else { break }
            taken.append(descriptor)
        }
        for descriptor in taken.suffix(count) { close(descriptor) }
    }
}

/// Tells the same of an exchange.
private final class CountingReceiver: HTTPReceiver {
    /// Of the body, or of all that there is.
    let begin = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    private let onBegin: @Sendable () -> Void
    private let byteCount = Atomic(0)

    init(onBegin: @escaping @Sendable () -> Void = {}) {
        self.onBegin = onBegin
    }

    func didReceive(_ response: HTTPResponse) {}

    func didReceive(_ bytes: UnsafeRawBufferPointer) {
        if byteCount.add(bytes.count, ordering: .relaxed).oldValue == 0 {
            onBegin()
            begin.signal()
        }
    }

    func didFinish(_ error: ImageError?) {
        begin.signal()
        print(error?.message ?? String(byteCount.load(ordering: .relaxed)))
        end.signal()
    }
}
