/// Where on disk the entry of a key lies, worked out once for each call.
struct DiskAddress: Sendable {
    let key: CacheKey
    /// The MD5 of the key's text in lower-case hexadecimal.
    let digest: String
    /// The name of the file that holds the bytes.
    let fileName: String

    init(_ key: CacheKey) {
        self.key = key
        digest = Digest.md5.hexadecimal(key.text)
        let pathExtension = FileExtension.of(key.base)
        fileName = pathExtension.isEmpty ? digest : digest + "." + pathExtension
    }
}

/// What a name in the folder of a disk cache stands for. Everything else there is left alone.
enum DiskFileKind: Hashable {
    /// The bytes of an entry.
    case body
    /// An entry's metadata, where the file system does not take them.
    case sidecar
    /// Something not yet in its place, or forgotten by a process that died.
    case temporary

    private static let sidecarEnding = ".meta"
    private static let temporaryStart = ".tmp-"
    private static let digestCount = 32

    /// The kind of a name, and the digest of the key that it belongs to.
    static func classify(_ name: String) -> (kind: DiskFileKind, digest: Substring)? {
        if name.hasPrefix(temporaryStart) {
            return digest(name.dropFirst(temporaryStart.count)).map { (.temporary, $0.digest) }
        }
        if name.hasPrefix(".") {
            guard let found = digest(name.dropFirst()), found.rest == sidecarEnding else { return nil }
            return (.sidecar, found.digest)
        }
        guard let found = digest(name[...]), found.rest.isEmpty || found.rest.hasPrefix(".") else { return nil }
        return (.body, found.digest)
    }

    static func sidecarName(_ digest: some StringProtocol) -> String { ".\(digest)\(sidecarEnding)" }

    /// `unique` tells it from all others, of this process or another.
    static func temporaryName(_ digest: String, unique: String) -> String { "\(temporaryStart)\(digest)-\(unique)" }

    private static func digest(_ text: Substring) -> (digest: Substring, rest: Substring)? {
        let bytes = text.utf8
        guard let end = bytes.index(bytes.startIndex, offsetBy: digestCount, limitedBy: bytes.endIndex),
            bytes[..<end].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return (text[..<end], text[end...])
    }
}
