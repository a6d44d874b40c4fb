import Dispatch
public import WebImageFoundation

/// Makes a picture file of the bytes that a loader brought, such as by deciphering them.
///
/// Its presence switches progressive loading off. Two are equal when one is a copy of the other: loads that bring the
/// same one can share.
public struct Decryptor: Sendable, Hashable {
    private let identity = Identity()
    private let body: @Sendable (Data, HTTPResponse?) -> Data?

    /// - Parameter body: Called once for each download or file, on a queue where it may take its time, with the whole
    ///   body and the head that brought it (`nil` for a file). `nil` ends the load with `badImageData`.
    public init(_ body: @escaping @Sendable (_ data: Data, _ response: HTTPResponse?) -> Data?) {
        self.body = body
    }

    /// Undoes base64; characters that are not of its alphabet are passed over.
    public static let base64 = Decryptor { data, _ in
        Data(base64Encoded: data, options: .ignoreUnknownCharacters)
    }

    /// Whether one is a copy of the other.
    public static func == (first: Decryptor, second: Decryptor) -> Bool {
        first.identity == second.identity
    }

    /// Feeds a hash of which decryptor it is.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }

    func decrypted(_ loaded: LoadedData) -> Result<LoadedData, ImageError> {
        guard let data = body(loaded.data, loaded.response), !data.isEmpty else {
            return .failure(
                ImageError(.badImageData, .load, "the decryptor made nothing of the \(loaded.data.count) bytes"))
        }
        var loaded = loaded
        loaded.data = data
        return .success(loaded)
    }

    /// Off the transport's thread, which all exchanges share.
    static let queue = DispatchQueue(label: "WebImage.decrypt", attributes: .concurrent)
}
