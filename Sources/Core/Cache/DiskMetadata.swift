public import WebImageFoundation

/// What is kept beside the bytes of an entry on disk.
///
/// All of it fits into one extended attribute of the file as long as it stays under about 4 KB together with the key;
/// more is kept in a second file.
public struct DiskMetadata: Sendable, Hashable {
    /// The URL that the bytes are from.
    public var url: String?
    /// The `Content-Type` that the bytes came with.
    public var contentType: String?
    /// Header fields as the server sent them, to ask it later whether the bytes are still good.
    public var validators: Validators {
        get { box.validators }
        set { box = ValidatorsBox.of(newValue, body: nil) }
    }
    private var box: ValidatorsBox
    /// Whatever the caller wants to keep with the entry; this library does not look into it.
    public var extendedData: Data?
    /// When the bytes were stored, or these metadata last replaced; set by the cache, `nil` before.
    public internal(set) var storedAt: WallTime?

    /// What an answer said of how long it is good and how to ask for it again.
    public struct Validators: Sendable, Hashable {
        /// `ETag`.
        public var etag: String?
        /// `Last-Modified`.
        public var lastModified: String?
        /// `Date`.
        public var date: String?
        /// `Age`.
        public var age: String?
        /// `Expires`.
        public var expires: String?
        /// `Cache-Control`; several lines as one list.
        public var cacheControl: String?
        /// `Vary`; several lines as one list.
        public var vary: String?
        /// A digest of the header fields of the request that `vary` names; `nil` where no other request is like it.
        public var varyDigest: String?
        /// When the request was sent.
        public var requestedAt: WallTime?
        /// When the answer was there.
        public var receivedAt: WallTime?
        /// A digest of the original's body: tells whether a variant was made of the original that is there now.
        ///
        /// Text of this library's own making, good for comparing. Of one body it is another when the machine has been
        /// started anew, and on another machine.
        public var bodyDigest: String?

        /// None of them.
        public init() {}
    }

    /// Metadata that the caller knows; `nil` for what it does not.
    public init(
        url: String? = nil, contentType: String? = nil, validators: Validators = Validators(),
        extendedData: Data? = nil
    ) {
        self.url = url
        self.contentType = contentType
        box = ValidatorsBox.of(validators, body: nil)
        self.extendedData = extendedData
    }
}

extension DiskMetadata {
    /// Sets the validators; `body` are the very bytes, where they are known, that `bodyDigest` was computed of, so that
    /// storing them need not do it again.
    mutating func setValidators(_ validators: Validators, body: Data?) {
        box = ValidatorsBox.of(validators, body: body)
    }

    /// The digest of bytes that come with these metadata. They may be others than those of `setValidators`: a cache
    /// between here and there may have changed them.
    func digest(of bytes: Data) -> BodyDigest {
        guard let body = box.body, body.isSameMemory(as: bytes), let text = validators.bodyDigest else {
            return BodyDigest(bytes)
        }
        return BodyDigest(text: text) ?? BodyDigest(bytes)
    }
}

extension Data {
    /// Both at once: bytes that lie in the value itself are handed out as copies, which may lie in one place in turn.
    fileprivate func isSameMemory(as other: Data) -> Bool {
        unsafe withUnsafeBytes { first in
            unsafe other.withUnsafeBytes { unsafe first.baseAddress == $0.baseAddress && first.count == $0.count }
        }
    }
}

/// Validators out of the way: they are many texts, many pictures have none, and an entry is handed on at every step.
private final class ValidatorsBox: Sendable, Hashable {
    let validators: DiskMetadata.Validators
    /// The bytes, if they are known, that `bodyDigest` is of. While they are held here, whoever changes them changes a
    /// copy elsewhere in memory.
    let body: Data?
    private static let none = ValidatorsBox(DiskMetadata.Validators(), body: nil)

    private init(_ validators: DiskMetadata.Validators, body: Data?) {
        self.validators = validators
        self.body = body
    }

    static func of(_ validators: DiskMetadata.Validators, body: Data?) -> ValidatorsBox {
        validators == none.validators ? none : ValidatorsBox(validators, body: body)
    }

    static func == (first: ValidatorsBox, second: ValidatorsBox) -> Bool {
        first === second || first.validators == second.validators
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(validators)
    }
}

/// The bytes of an entry and what is known of them.
public struct CachedData: Sendable, Hashable {
    /// The bytes as they were stored.
    public var data: Data
    /// What was stored beside them.
    public var metadata: DiskMetadata

    /// Bytes with their metadata, for a cache of one's own to answer with.
    public init(data: Data, metadata: DiskMetadata = DiskMetadata()) {
        self.data = data
        self.metadata = metadata
    }
}
