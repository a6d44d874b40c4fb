import WebImageFoundation

extension DiskMetadata {
    /// What to keep beside the bytes of a picture from a URL.
    ///
    /// - Parameter contentType: `nil` for bytes that are not those that the server sent.
    init(_ contentType: String?, _ validators: Validators?, url: URL) {
        self.init(
            url: url.withoutCredentials, contentType: contentType,
            validators: validators ?? Validators())
    }
}

extension DiskMetadata.Validators {
    /// What to keep of a server's answer to a load; `nil` where none answered.
    init?(_ loaded: LoadedData, _ plan: LoadPlan, _ times: ExchangeTimes) {
        guard let response = loaded.response else { return nil }
        self.init(response, request: plan.loader.headers(for: plan.request), times: times)
        bodyDigest = unsafe loaded.data.withUnsafeBytes { unsafe Digest.sha256.hexadecimal($0) }
    }

    /// Whether a variant with these was made of an original with those, as far as is known.
    func isMade(of original: DiskMetadata.Validators) -> Bool {
        original.bodyDigest == nil || original.bodyDigest == bodyDigest
    }

    /// `nil` for those that say nothing.
    var orNone: DiskMetadata.Validators? { self == DiskMetadata.Validators() ? nil : self }

    /// Whether the server allows to keep the picture on disk.
    var mayBeStored: Bool { !CacheControl(cacheControl).isNoStore }
}
