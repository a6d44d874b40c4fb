import WebImageFoundation

extension DiskMetadata {
    /// What to keep beside the bytes of a picture from a URL.
    ///
    /// - Parameters:
    ///   - contentType: `nil` for bytes that are not those that the server sent.
    ///   - body: What the server sent with the validators, where that is known still.
    init(_ contentType: String?, _ validators: Validators?, body: Data?, url: URL) {
        self.init(url: url.withoutCredentials, contentType: contentType)
        if let validators { setValidators(validators, body: body) }
    }
}

extension DiskMetadata.Validators {
    /// Whether a variant with these was made of an original with those, as far as is known.
    func isMade(of original: DiskMetadata.Validators) -> Bool {
        original.bodyDigest == nil || original.bodyDigest == bodyDigest
    }

    /// `nil` for those that say nothing.
    var orNone: DiskMetadata.Validators? { self == DiskMetadata.Validators() ? nil : self }

    /// Whether the server allows to keep the picture on disk.
    var mayBeStored: Bool { !CacheControl(cacheControl).isNoStore }
}
