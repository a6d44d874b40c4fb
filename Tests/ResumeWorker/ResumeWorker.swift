import Foundation
import WebImageCore
import WebImageCurl

/// The process that the tests of resuming start and kill: downloads a URL, with a store of beginnings in a folder.
///
/// `ResumeWorker FOLDER URL [COUNT]`. Tells how many bytes it has in the end, or why it has none. With a count it has
/// only so many file descriptors left for the download, and no store.
@main
enum ResumeWorker {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let url = URL(string: arguments[2]) else {
            fatalError("usage: ResumeWorker FOLDER URL [COUNT]")
        }
        var configuration = DownloaderConfiguration()
        let descriptorCount = arguments.count > 3 ? Int(arguments[3]) : nil
        if descriptorCount == nil { configuration.resumeStore = ResumeStore(folder: URL(filePath: arguments[1])) }
        configuration.downloadTimeout = 3600
        configuration.minimumByteRate = 0
        let downloader = ImageDownloader(transport: CurlTransport(), configuration: configuration)
        let end = DispatchSemaphore(value: 0)
        if let descriptorCount { leaveDescriptors(descriptorCount) }
        downloader.download(ImageRequest(url)) { result in
            switch result {
            case .success(let loaded): print(loaded.data.count)
            case .failure(let error): print(error.message)
            }
            end.signal()
        }
        end.wait()
    }

    private static func leaveDescriptors(_ count: Int) {
        // Queues have threads, and whatever these need, from now on.
        let begun = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { begun.signal() }
        begun.wait()
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var taken: [Int32] = []
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            guard descriptor >= 0 else { break }
            taken.append(descriptor)
        }
        for descriptor in taken.suffix(count) { close(descriptor) }
    }
}
