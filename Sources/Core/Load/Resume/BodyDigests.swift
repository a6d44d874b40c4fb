import WebImageFoundation

/// The digests that a server announces of a body (RFC 9530): SHA-256 and SHA-512; others are not looked at.
struct BodyDigests: Sendable, Hashable {
    private var sha256: Set<Data> = []
    private var sha512: Set<Data> = []

    /// Those that speak of the body as it arrives here; none for one that was compressed on its way, for they speak of
    /// the compressed bytes.
    ///
    /// - Parameter isContinuation: Whether the answer brought the rest alone: `Content-Digest` is of that, and only
    ///   `Repr-Digest` is of the whole.
    init(_ response: HTTPResponse, isContinuation: Bool) {
        guard !response.isContentEncoded else { return }
        for name in isContinuation ? ["Repr-Digest"] : ["Repr-Digest", "Content-Digest"] {
            guard let list = response.headers.list(name) else { continue }
            for element in HTTPList.elements(list) { note(element) }
        }
    }

    var isEmpty: Bool { sha256.isEmpty && sha512.isEmpty }

    /// Whether the bytes have all these digests. Takes about a millisecond for a megabyte.
    func match(_ data: Data) -> Bool {
        sha256.allSatisfy { $0 == Data(Digest.sha256(data)) } && sha512.allSatisfy { $0 == Data(Digest.sha512(data)) }
    }

    /// `sha-256=:base64:`, perhaps with parameters; what is no digest at all announces none.
    private mutating func note(_ element: String) {
        let parts = element.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return }
        let value = HTTPList.trimmed(parts[1])
        guard value.hasPrefix(":"), let end = value.dropFirst().firstIndex(of: ":"),
            let digest = Data(base64Encoded: String(value[value.index(after: value.startIndex)..<end]))
        else { return }
        switch (HTTPList.trimmed(parts[0]).lowercased(), digest.count) {
        case ("sha-256", 32): sha256.insert(digest)
        case ("sha-512", 64): sha512.insert(digest)
        default: break
        }
    }
}
