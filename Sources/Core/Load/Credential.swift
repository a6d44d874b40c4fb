public import WebImageFoundation

extension DownloaderConfiguration {
    /// A user name and a password. Printing it shows neither.
    public struct Credential: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
        /// The user name, without a colon.
        public var user: String
        /// The password.
        public var password: String

        /// A user name and a password, sent as UTF-8.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        /// Says that it is one, and no more.
        public var description: String { "a credential" }
        /// Says that it is one, and no more.
        public var debugDescription: String { description }
    }
}

/// A certificate that tells a server who asks (TLS client authentication). Printing it shows no password.
public struct ClientCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// How the certificate file is written.
    public enum Format: String, Sendable, Hashable {
        /// Text; the key is in a file of its own, or in the same.
        case pem = "PEM"
        /// PKCS #12: certificate and key in one file.
        case pkcs12 = "P12"
    }

    /// The certificate's file.
    public var file: URL
    /// The private key's file; `nil` where the certificate's file holds the key too.
    public var keyFile: URL?
    /// What the key, or the PKCS #12 file, is locked with; `nil` where it is not.
    public var password: String?
    /// How the certificate's file is written. Default PEM.
    public var format: Format

    /// A certificate in a file, read anew for each connection.
    public init(file: URL, keyFile: URL? = nil, password: String? = nil, format: Format = .pem) {
        self.file = file
        self.keyFile = keyFile
        self.password = password
        self.format = format
    }

    /// Names the file.
    public var description: String { "the client certificate \(file.lastPathComponent)" }
    /// Names the file.
    public var debugDescription: String { description }
}
