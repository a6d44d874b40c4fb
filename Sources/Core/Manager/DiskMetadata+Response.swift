import WebImageFoundation

extension DiskMetadata {
    /// What to keep of a server's answer.
    init(_ response: HTTPResponse?, url: URL) {
        self.init(url: url.withoutCredentials, contentType: response?.headers["Content-Type"])
        validators.etag = response?.headers["ETag"]
        validators.lastModified = response?.headers["Last-Modified"]
        validators.date = response?.headers["Date"]
        validators.age = response?.headers["Age"]
        validators.expires = response?.headers["Expires"]
        validators.cacheControl = response?.headers["Cache-Control"]
    }
}
