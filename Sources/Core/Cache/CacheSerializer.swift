public import WebImageFoundation

/// Makes the bytes under which a picture is kept on disk.
public struct CacheSerializer: Sendable {
    private let serialize: @Sendable (DecodedImage, Data?, URL) -> Data?

    /// A serializer. The closure gets the picture, the file it was decoded from where it is the untransformed one, and
    /// the URL; it runs on a queue of the manager, and only for a picture that is to be written to disk. `nil` writes
    /// what would be written without it.
    public init(
        _ serialize: @escaping @Sendable (_ image: DecodedImage, _ data: Data?, _ url: URL) -> Data?
    ) {
        self.serialize = serialize
    }

    func data(of image: DecodedImage, _ data: Data?, for url: URL) -> Data? {
        serialize(image, data, url)
    }
}
