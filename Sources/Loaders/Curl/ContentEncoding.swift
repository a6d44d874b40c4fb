/// How the bytes of a body are packed (RFC 9110, 8.4).
enum ContentEncoding: Equatable, CustomStringConvertible {
    case identity
    case gzip
    /// With the head and the checksum that it must have, or without, as some servers send it.
    case deflate
    /// One that was not asked for, or several at once.
    case other(String)

    /// What can be undone, for `Accept-Encoding`.
    static let accepted = "gzip, deflate"

    /// Reads a `Content-Encoding`.
    init(_ value: String) {
        let name = value.lowercased()
        self =
            switch name {
            case "", "identity", "none": .identity
            case "gzip", "x-gzip": .gzip
            case "deflate": .deflate
            default: .other(name)
            }
    }

    var description: String {
        switch self {
        case .identity: "identity"
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .other(let name): String(name.prefix(40))
        }
    }
}
