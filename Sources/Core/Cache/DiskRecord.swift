import WebImageFoundation

/// All that is written beside an entry's bytes.
struct DiskRecord: Hashable {
    /// The key's whole text.
    var key: String
    var storedAt: WallTime
    var byteCount: Int
    var digest: BodyDigest
    var metadata: DiskMetadata

    /// What more than this takes is refused.
    static let maxEncodedCount = 16 << 20
}

// Version 3, all numbers little-endian:
//
//     magic          4   "WIM" and the version, 3
//     byte count     8
//     stored at      8 + 4   seconds since 1970, nanoseconds
//     digest         16 + 16   of the body: the key, the digest
//     key            4 + n   length, UTF-8
//     fields         (1 + 4 + n) each   tag, length, bytes; up to the end
//
// A tag that a reader does not know is skipped; a change that an older reader must not overlook gets a new version.
extension DiskRecord {
    private static let magic: [UInt8] = Array("WIM".utf8) + [3]

    private enum Tag: UInt8 {
        case url = 1
        case contentType
        case etag
        case lastModified
        case date
        case age
        case expires
        case cacheControl
        case extendedData
        case vary
        case varyDigest
        case requestedAt
        case receivedAt
        case bodyDigest
        /// The URL is the key's text, as with most pictures; no bytes.
        case urlIsKey
        /// That of the original is the body's, which is the original; no bytes.
        case bodyDigestIsOwn
    }

    /// The bytes of the record; `nil` where they would be more than `maxEncodedCount`.
    func encoded() -> [UInt8]? {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt64(byteCount))
        bytes.append(littleEndian: storedAt.seconds)
        bytes.append(littleEndian: storedAt.nanoseconds)
        for word in [digest.key.high, digest.key.low, digest.high, digest.low] { bytes.append(littleEndian: word) }
        bytes.append(counted: key.utf8)
        for (tag, text) in texts {
            guard let text else { continue }
            bytes.append(tag.rawValue)
            bytes.append(counted: text.utf8)
        }
        if let data = metadata.extendedData {
            guard data.count < Self.maxEncodedCount else { return nil }
            bytes.append(Tag.extendedData.rawValue)
            bytes.append(counted: data)
        }
        return bytes.count <= Self.maxEncodedCount ? bytes : nil
    }

    private var texts: [(Tag, String?)] {
        let validators = metadata.validators
        return [
            isURLKey ? (.urlIsKey, "") : (.url, metadata.url), (.contentType, metadata.contentType),
            (.etag, validators.etag), (.lastModified, validators.lastModified), (.date, validators.date),
            (.age, validators.age), (.expires, validators.expires), (.cacheControl, validators.cacheControl),
            (.vary, validators.vary),
            (.varyDigest, validators.varyDigest), (.requestedAt, validators.requestedAt.map { "\($0.seconds)" }),
            (.receivedAt, validators.receivedAt.map { "\($0.seconds)" }),
            isBodyDigestOwn ? (.bodyDigestIsOwn, "") : (.bodyDigest, validators.bodyDigest),
        ]
    }

    private var isURLKey: Bool { metadata.url.map { $0.utf8.elementsEqual(key.utf8) } ?? false }

    private var isBodyDigestOwn: Bool { metadata.validators.bodyDigest.flatMap { BodyDigest(text: $0) } == digest }

    /// Reads a record; `nil` for anything that is not wholly one.
    init?(_ bytes: [UInt8]) {
        guard let record = unsafe bytes.withUnsafeBytes({ unsafe DiskRecord($0, expected: nil) }) else { return nil }
        self = record
    }

    /// Reads a record, most likely that of `expected`, whose text is then not copied.
    init?(_ bytes: UnsafeRawBufferPointer, expected: CacheKey?) {
        var reader = unsafe DiskRecordReader(bytes)
        guard let magic = unsafe reader.take(Self.magic.count), unsafe magic.elementsEqual(Self.magic),
            let byteCount = reader.takeInteger(UInt64.self).flatMap(Int.init(exactly:)),
            let seconds = reader.takeInteger(Int64.self), let nanoseconds = reader.takeInteger(Int32.self),
            let digest = Self.takeDigest(from: &reader),
            let keyBytes = unsafe reader.takeCounted(), let key = unsafe Self.text(keyBytes, expected)
        else { return nil }
        self.key = key
        self.byteCount = byteCount
        self.digest = digest
        storedAt = WallTime(seconds: seconds, nanoseconds: nanoseconds)
        metadata = DiskMetadata()
        metadata.storedAt = storedAt
        while !reader.isAtEnd {
            guard let tag = reader.takeInteger(UInt8.self), let field = unsafe reader.takeCounted() else { return nil }
            unsafe set(Tag(rawValue: tag), field)
        }
    }

    private static func takeDigest(from reader: inout DiskRecordReader) -> BodyDigest? {
        guard let keyHigh = reader.takeInteger(UInt64.self), let keyLow = reader.takeInteger(UInt64.self),
            let high = reader.takeInteger(UInt64.self), let low = reader.takeInteger(UInt64.self)
        else { return nil }
        return BodyDigest(key: .init(high: keyHigh, low: keyLow), high: high, low: low)
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ expected: CacheKey?) -> String? {
        if let expected, unsafe expected.hasText(bytes) { return expected.text }
        return unsafe String(validating: bytes, as: UTF8.self)
    }

    private mutating func set(_ tag: Tag?, _ field: UnsafeRawBufferPointer) {
        if tag == .extendedData {
            metadata.extendedData = unsafe Data(field)
            return
        }
        let text = unsafe String(decoding: field, as: UTF8.self)
        switch tag {
        case .url: metadata.url = text
        case .contentType: metadata.contentType = text
        case .etag: metadata.validators.etag = text
        case .lastModified: metadata.validators.lastModified = text
        case .date: metadata.validators.date = text
        case .age: metadata.validators.age = text
        case .expires: metadata.validators.expires = text
        case .cacheControl: metadata.validators.cacheControl = text
        case .vary: metadata.validators.vary = text
        case .varyDigest: metadata.validators.varyDigest = text
        case .requestedAt: metadata.validators.requestedAt = Int64(text).map { WallTime(seconds: $0) }
        case .receivedAt: metadata.validators.receivedAt = Int64(text).map { WallTime(seconds: $0) }
        case .bodyDigest: metadata.validators.bodyDigest = text
        case .urlIsKey: metadata.url = key
        case .bodyDigestIsOwn: metadata.validators.bodyDigest = digest.text
        case .extendedData, nil: break
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: type(of: value).bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The length and the bytes. A length that does not fit is cut: the whole is then over the limit in any case.
    fileprivate mutating func append(counted bytes: some Collection<UInt8>) {
        append(littleEndian: UInt32(clamping: bytes.count))
        append(contentsOf: bytes)
    }
}
