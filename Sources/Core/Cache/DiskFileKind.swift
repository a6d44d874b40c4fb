/// What a name in the folder of a disk cache stands for. Everything else there is left alone.
enum DiskFileKind: Hashable {
    /// The bytes of an entry: `0123…` and a path extension.
    case body
    /// An entry's metadata, where the file system does not take them, with the first eight bytes of the digest of the
    /// body that they belong to: `.0123…-4567….meta`.
    ///
    /// So a new body and its metadata are never beside those of the former one, whenever a process dies.
    case sidecar(body: UInt64)
    /// Something not yet in its place, or forgotten by a process that died: `.tmp-0123…-…`.
    case temporary

    var isSidecar: Bool {
        if case .sidecar = self { true } else { false }
    }

    private static let sidecarEnding: StaticString = ".meta"
    private static let temporaryStart: StaticString = ".tmp-"

    /// The kind of a name, and the digest of the key that it belongs to.
    static func classify(_ name: UnsafeRawBufferPointer) -> (kind: DiskFileKind, digest: DiskDigest)? {
        let dot = UInt8(ascii: ".")
        guard let first = unsafe name.first else { return nil }
        guard first == dot else {
            guard let digest = unsafe DiskDigest(name) else { return nil }
            let isWhole = unsafe name.count == DiskDigest.textCount || name[DiskDigest.textCount] == dot
            return isWhole ? (.body, digest) : nil
        }
        if unsafe has(name, temporaryStart, at: 0) {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: name[temporaryStart.utf8CodeUnitCount...])
            return unsafe DiskDigest(rest).map { (.temporary, $0) }
        }
        return unsafe sidecar(UnsafeRawBufferPointer(rebasing: name[1...]))
    }

    static func classify(_ name: String) -> (kind: DiskFileKind, digest: DiskDigest)? {
        var name = name
        return name.withUTF8 { unsafe classify(UnsafeRawBufferPointer($0)) }
    }

    static func sidecarName(_ digest: DiskDigest, body: UInt64) -> String {
        ".\(digest.text)-\(DiskDigest.text(body))\(sidecarEnding)"
    }

    /// `unique` tells it from all others, of this process or another.
    static func temporaryName(_ digest: DiskDigest, unique: String) -> String {
        "\(temporaryStart)\(digest.text)-\(unique)"
    }

    /// A name without its first dot.
    private static func sidecar(_ name: UnsafeRawBufferPointer) -> (kind: DiskFileKind, digest: DiskDigest)? {
        let middle = DiskDigest.textCount
        guard name.count == middle + 17 + sidecarEnding.utf8CodeUnitCount, unsafe name[middle] == UInt8(ascii: "-"),
            let digest = unsafe DiskDigest(name), let body = unsafe DiskDigest.word(name, middle + 1),
            unsafe has(name, sidecarEnding, at: middle + 17)
        else { return nil }
        return (.sidecar(body: body), digest)
    }

    private static func has(_ name: UnsafeRawBufferPointer, _ text: StaticString, at place: Int) -> Bool {
        guard name.count >= place + text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where unsafe name[place + index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
