/// Texts that may be shown and logged: no secret is in them.
extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible {
    /// A line for each field; values that may be secrets are left out.
    public var description: String { fields.map(\.description).joined(separator: "\n") }
    /// As `description`.
    public var debugDescription: String { description }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible {
    /// `Accept: image/*`; only the name of a field whose value may be a secret.
    public var description: String { mayBeSecret ? "\(name): (not shown)" : "\(name): \(value)" }
    /// As `description`.
    public var debugDescription: String { description }

    /// Those that are meant to carry secrets, and those that programs call so.
    private var mayBeSecret: Bool {
        let name = name.lowercased()
        return ["authorization", "authentication", "authenticate", "cookie", "token", "secret", "key", "signature"]
            .contains { name.contains($0) }
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// Status and URL, without the URL's credentials; no header field.
    public var description: String { "\(statusCode) \(url.withoutCredentials)" }
    /// As `description`.
    public var debugDescription: String { description }
}
