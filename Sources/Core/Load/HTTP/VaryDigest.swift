/// Tells whether an answer that depends on header fields of the request (`Vary`) was given to a request like another.
///
/// Only a digest is kept, for such a field may be a secret.
enum VaryDigest {
    /// The digest of the fields that `vary` names, as they stand in the request; `nil` for `*`, which no other request
    /// is like.
    static func of(_ vary: String?, _ request: HTTPHeaders) -> String? {
        let names = Set(HTTPList.elements(vary ?? "").map { $0.lowercased() })
        guard !names.contains("*") else { return nil }
        guard !names.isEmpty else { return "" }
        let text = names.sorted().map { name in
            let value = request.list(name)
            // Lengths, so that no value can pose as two; and none is not the same as empty.
            return "\(name):\(value.map { "\($0.utf8.count):\($0)" } ?? "-")"
        }
        return Digest.sha256.hexadecimal(text.joined(separator: "\n"))
    }
}
