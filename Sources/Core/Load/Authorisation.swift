import WebImageFoundation

/// Which servers have been told who asks, in one download.
///
/// A value. A server that refuses what it was told is not told again, unless its nonce was merely stale.
struct Authorisation {
    private let asked: Origin
    private var told: [Origin: Int] = [:]

    /// - Parameter origin: Whom the caller asked: the configuration's one credential is for it only.
    init(for origin: Origin) {
        asked = origin
    }

    /// The value of `Authorization` for a server that answered 401; `nil` when there is nothing to tell it.
    mutating func answer(
        to response: HTTPResponse, _ request: HTTPRequest, _ settings: DownloadSettings
    ) -> String? {
        guard response.statusCode == 401 else { return nil }
        let origin = Origin(request.url)
        let credential =
            settings.configuration.credentials[origin] ?? (origin == asked ? settings.configuration.credential : nil)
        guard let credential else { return nil }
        let challenges = HTTPChallenge.all(in: response.headers)
        let isStale = challenges.contains { $0.parameters["stale"]?.lowercased() == "true" }
        guard told[origin, default: 0] < (isStale ? 2 : 1) else { return nil }
        let digests = challenges.compactMap(DigestAuthentication.init)
        if let digest = digests.max(by: { $0.strength < $1.strength }) {
            told[origin, default: 0] += 1
            return digest.answer(to: request, with: credential, clientNonce: Self.makeNonce())
        }
        guard challenges.contains(where: { $0.scheme == "basic" }) else { return nil }
        told[origin, default: 0] += 1
        let pair = Data("\(credential.user):\(credential.password)".utf8)
        return "Basic \(pair.base64EncodedString())"
    }

    /// A digest answers for one target: the next one is asked for anew.
    mutating func forget(_ url: URL) {
        told[Origin(url)] = nil
    }

    private static func makeNonce() -> String {
        (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 16) }.joined()
    }
}
