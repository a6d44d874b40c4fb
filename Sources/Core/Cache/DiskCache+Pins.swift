import WebImageFoundation

// A pin is an empty file `.pins/0123…-tag`. It belongs to the key and not to the bytes: an entry that is stored anew
// stays pinned, and no file of an entry has to be opened to know.
extension DiskCache {
    /// Has sweeps leave the entry of a key alone, also one that is stored later, until it is unpinned.
    ///
    /// Pinned entries do not count towards `maxDiskSize`. A key may be pinned with several tags, such as the names of
    /// albums that are kept for a journey, and stays pinned until the last of them has gone. Removing an entry keeps
    /// its pins; removing all does not.
    ///
    /// - Throws: `storeFailed` where the pin cannot be written, or the tag is too long for a file's name.
    public func pin(_ key: CacheKey, tag: String = "") throws(ImageError) {
        let address = DiskAddress(key)
        let path = try pinPath(address.digest, tag)
        do {
            try retryingMissingFolder(pinFolder) { () throws(SystemError) in
                do throws(SystemError) {
                    _ = try FileDescriptor(path, .createNew)
                } catch {
                    guard error == .exists else { throw error }
                }
            }
        } catch {
            throw warned(.storing, error, .storeFailed, "cannot write \(path): \(error); \(Self.remedy(error))")
        }
        // A sweep that has listed the pins already takes the entry for one that was just read.
        let status = try? FileSystem.status(self.path(address.fileName))
        if let status {
            try? FileSystem.setTimes(self.path(address.fileName), accessed: wallClock.now, modified: status.modified)
        }
    }

    /// Takes a tag's pin from a key; one that is not there is no error.
    public func unpin(_ key: CacheKey, tag: String = "") throws(ImageError) {
        try removePin(pinPath(DiskAddress(key).digest, tag))
    }

    /// Whether the entry of a key is pinned, or would be.
    public func isPinned(_ key: CacheKey) -> Bool {
        pinnedDigests().contains(DiskAddress(key).digest)
    }

    /// All tags in use, sorted.
    public var tags: [String] { Set(pins().map(\.tag)).sorted() }

    /// Takes the pins of a tag from all keys, or with `nil` all pins. The entries stay until a sweep finds them old.
    public func unpinAll(tag: String? = nil) throws(ImageError) {
        for pin in pins() where tag == nil || pin.tag == tag { try removePin(pinPath(pin.digest, pin.tag)) }
        // Goes when it is empty.
        try? FileSystem.removeFolder(pinFolder)
    }

    /// Removes the entries that are pinned with a tag and with no other, and the tag's pins.
    public func removeAll(tag: String) throws(ImageError) {
        let pins = pins()
        let others = Set(pins.filter { $0.tag != tag }.map(\.digest))
        let own = Set(pins.filter { $0.tag == tag }.map(\.digest))
        for name in bodyNames(of: own.subtracting(others)).values { try remove(name) }
        try unpinAll(tag: tag)
    }

    /// The keys that sweeps leave alone.
    func pinnedDigests() -> Set<DiskDigest> { Set(pins().map(\.digest)) }

    private var pinFolder: String { path(".pins") }

    private func pins() -> [(digest: DiskDigest, tag: String)] {
        var pins: [(DiskDigest, String)] = []
        unsafe DirectoryStream.visit(pinFolder) { name, _ in
            guard let digest = unsafe DiskDigest(name), name.count > DiskDigest.textCount,
                unsafe name[DiskDigest.textCount] == UInt8(ascii: "-"),
                let tag = unsafe Self.unescaped(name[(DiskDigest.textCount + 1)...])
            else { return }
            pins.append((digest, tag))
        }
        return pins
    }

    private func removePin(_ path: String) throws(ImageError) {
        do throws(SystemError) {
            try FileSystem.remove(path)
        } catch {
            guard error != .noSuchFile, error != .notDirectory else { return }
            throw warned(.storing, error, .storeFailed, "cannot remove \(path): \(error)")
        }
    }

    private func pinPath(_ digest: DiskDigest, _ tag: String) throws(ImageError) -> String {
        let name = digest.text + "-" + Self.escaped(tag)
        guard name.utf8.count <= 255 else {
            throw ImageError(.storeFailed, .store, "the tag is too long for a file's name; choose a shorter one")
        }
        return pinFolder + "/" + name
    }

    /// Letters and digits as they are, all else as `%` and two digits.
    private static func escaped(_ tag: String) -> String {
        var text = ""
        for byte in tag.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            let digits = String(byte, radix: 16)
            text += isPlain ? String(scalar) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }
        return text
    }

    private static func unescaped(_ name: Slice<UnsafeRawBufferPointer>) -> String? {
        var bytes: [UInt8] = []
        var rest = unsafe Array(name)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
