/// A downloader's configuration as it was when downloads began: thousands of them share it.
final class DownloadSettings: Sendable {
    let configuration: DownloaderConfiguration
    /// `maxDownloadDuration`; `nil` for no limit. Asked for each part of each body, so it is made once.
    let maxDuration: Duration?
    /// `slowTransferDuration`, while there is a `minimumByteRate`.
    let slowTransferWindow: Duration?

    init(_ configuration: DownloaderConfiguration) {
        self.configuration = configuration
        let (longest, window) = (configuration.maxDownloadDuration, configuration.slowTransferDuration)
        // A billion seconds: a bound within what `Duration` holds.
        maxDuration = longest > 0 ? .seconds(min(longest, 1e9)) : nil
        slowTransferWindow =
            configuration.minimumByteRate > 0 && window > 0 ? .seconds(min(window, 1e9)) : nil
    }
}
