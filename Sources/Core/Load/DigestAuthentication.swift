/// Answers a server that asks for Digest authentication (RFC 7616): MD5 and SHA-256, each also per session, with `auth`
/// or without a quality of protection.
struct DigestAuthentication {
    let parameters: [String: String]
    private let digest: Digest
    private let isPerSession: Bool

    /// `nil` for a challenge of another scheme, or one that cannot be answered.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == "digest", challenge.parameters["nonce"] != nil, challenge.parameters["realm"] != nil
        else { return nil }
        let algorithm = challenge.parameters["algorithm"]?.lowercased() ?? "md5"
        switch algorithm {
        case "md5", "md5-sess": digest = .md5
        case "sha-256", "sha-256-sess": digest = .sha256
        default: return nil
        }
        isPerSession = algorithm.hasSuffix("-sess")
        parameters = challenge.parameters
        if let offered = parameters["qop"], !Self.words(offered).contains("auth") { return nil }
    }

    /// How strong it is, compared with others.
    var strength: Int { digest.byteCount }

    /// The value of `Authorization`.
    ///
    /// - Parameter clientNonce: Any text that was not used before; hexadecimal.
    func answer(
        to request: HTTPRequest, with credential: DownloaderConfiguration.Credential, clientNonce: String
    ) -> String {
        let (realm, nonce) = (parameters["realm"] ?? "", parameters["nonce"] ?? "")
        let hasQuality = parameters["qop"] != nil
        var secret = digest.hexadecimal("\(credential.user):\(realm):\(credential.password)")
        if isPerSession { secret = digest.hexadecimal("\(secret):\(nonce):\(clientNonce)") }
        let asked = digest.hexadecimal("\(request.method):\(request.target)")
        let quality = hasQuality ? ":00000001:\(clientNonce):auth" : ""
        var fields = [
            "username=\"\(Self.escaped(credential.user))\"", "realm=\"\(realm)\"", "nonce=\"\(nonce)\"",
            "uri=\"\(request.target)\"", "response=\"\(digest.hexadecimal("\(secret):\(nonce)\(quality):\(asked)"))\"",
        ]
        if let algorithm = parameters["algorithm"] { fields.append("algorithm=\(algorithm)") }
        if let opaque = parameters["opaque"] { fields.append("opaque=\"\(opaque)\"") }
        if hasQuality { fields += ["qop=auth", "nc=00000001"] }
        if hasQuality || isPerSession { fields.append("cnonce=\"\(clientNonce)\"") }
        return "Digest " + fields.joined(separator: ", ")
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) }
    }
}
