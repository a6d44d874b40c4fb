import Foundation
import WebImageCore
import WebImageCurl

/// The process that the tests of resuming start and kill: downloads a URL, with a store of beginnings in a folder.
///
/// `ResumeWorker FOLDER URL`. Tells how many bytes it has in the end, or why it has none.
@main
enum ResumeWorker {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let url = URL(string: arguments[2]) else {
            fatalError("usage: ResumeWorker FOLDER URL")
        }
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
}
