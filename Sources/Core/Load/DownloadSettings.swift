/// A downloader's configuration as it was when downloads began: thousands of them share it.
final class DownloadSettings: Sendable {
    let configuration: DownloaderConfiguration

    init(_ configuration: DownloaderConfiguration) {
        self.configuration = configuration
    }
}
