public import WebImageFoundation

/// Takes pictures out of `data:` URLs (RFC 2397), without the network, before the call that asks returns.
public final class DataURLLoader: ImageLoader {
    /// A loader; it keeps nothing.
    public init() {}

    /// Whether the scheme is `data`.
    public func canLoad(_ url: URL) -> Bool {
        url.scheme?.lowercased() == "data"
    }

    /// Calls back before it returns.
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        completion(Self.contents(of: request.url?.absoluteString ?? ""))
        return CurrentOperation()
    }

    /// What is wrong with a URL that holds its own bytes stays wrong, and costs nothing to find again.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        false
    }

    private static func contents(of text: String) -> Result<LoadedData, ImageError> {
        guard let comma = text.firstIndex(of: ",") else {
            return .failure(ImageError(.badImageData, .load, "the data: URL has no comma before its contents"))
        }
        let mediaType = text[..<comma].lowercased()
        let payload = String(text[text.index(after: comma)...])
        let data = mediaType.hasSuffix(";base64") ? base64(payload) : percentDecoded(payload)
        guard let data else {
            return .failure(ImageError(.badImageData, .load, "the contents of the data: URL are not valid base64"))
        }
        guard !data.isEmpty else {
            return .failure(ImageError(.badImageData, .load, "the data: URL is empty"))
        }
        return .success(LoadedData(data: data))
    }

    private static func base64(_ payload: String) -> Data? {
        guard let text = String(data: percentDecoded(payload), encoding: .ascii) else { return nil }
        // A fragment is of no use here, and its mark is none of base64.
        let unpadded = text.filter { !$0.isWhitespace }.prefix { $0 != "=" && $0 != "#" }
        let padding = String(repeating: "=", count: (4 - unpadded.count % 4) % 4)
        return Data(base64Encoded: unpadded + padding)
    }

    /// The bytes of a URL part: percent escapes undone, all else as it stands.
    private static func percentDecoded(_ text: String) -> Data {
        var bytes = Data()
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = UInt8(String(rest.prefix(2)) ?? "", radix: 16), rest.count >= 2
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
