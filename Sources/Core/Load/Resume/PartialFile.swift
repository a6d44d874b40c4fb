import WebImageFoundation

/// The beginning of one body in a file, which grows portion by portion.
///
/// All numbers little-endian: each portion is its length (4), the `BodyDigest` of its bytes (16), and the bytes. The
/// first is a `DiskRecord` that says what the body is of; the others are the body. Whatever a process leaves behind
/// that dies while it writes, or a machine that loses its power, what comes before the first portion that is not whole
/// is good, and the rest is cut off.
///
/// Whoever has the file open has its lock, which the system takes from a process that dies: no two write to one file.
///
/// `@unchecked Sendable`: who has it hands it on; at any time one queue alone uses it.
final class PartialFile: @unchecked Sendable {
    let identity: BodyIdentity
    /// How many bytes of the body are in it.
    private(set) var byteCount: Int
    private let path: String
    private let file: FileDescriptor

    /// Makes a new one at a path where there is none.
    init(_ path: String, _ key: CacheKey, _ identity: BodyIdentity) throws(SystemError) {
        let file = try FileDescriptor(path, .createNew)
        self.file = file
        self.path = path
        self.identity = identity
        byteCount = 0
        do throws(SystemError) {
            // Somebody who looks for old ones may have been faster.
            guard self.file.tryLock(), isInPlace else { throw .wouldBlock }
            guard let head = DiskRecord(key, identity).encoded() else { throw .fileTooLarge }
            try write(Data(head))
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Opens one that is of a key, and reads it; `nil` where it is not, or others have it. One that is of no use to
    /// anybody is removed, and so is one of more than `maxByteCount`.
    static func open(
        _ path: String, _ key: CacheKey, maxByteCount: Int
    ) -> (file: PartialFile, body: PartialBody)? {
        guard let descriptor = try? FileDescriptor(path, .update), descriptor.tryLock() else { return nil }
        guard var portions = PartialPortions(descriptor, maxByteCount: maxByteCount),
            let head = portions.next(descriptor), let record = DiskRecord([UInt8](head)), record.key == key.text,
            let identity = BodyIdentity(record)
        else {
            try? FileSystem.remove(path)
            return nil
        }
        var data = Data()
        data.reserveCapacity(portions.left)
        while let portion = portions.next(descriptor) { data.append(portion) }
        guard let body = PartialBody(data, of: identity), (try? descriptor.cut(to: portions.end)) != nil else {
            try? FileSystem.remove(path)
            return nil
        }
        let file = PartialFile(path, identity, byteCount: data.count, descriptor)
        return file.isInPlace ? (file, body) : nil
    }

    private init(_ path: String, _ identity: BodyIdentity, byteCount: Int, _ file: consuming FileDescriptor) {
        self.path = path
        self.identity = identity
        self.byteCount = byteCount
        self.file = file
    }

    deinit {
        // Closing alone would not do while a child that is being started still has a copy of the descriptor.
        file.unlock()
    }

    /// Puts the next bytes of the body behind those that are there.
    func append(_ bytes: Data, at now: WallTime?) throws(SystemError) {
        try write(bytes)
        byteCount += bytes.count
        if let now { try file.setTimes(accessed: now, modified: now) }
    }

    /// Nobody is to go on with it.
    func remove() {
        try? FileSystem.remove(path)
    }

    /// Removes one unless somebody has it open; whether it is gone.
    static func removeUnused(_ path: String) -> Bool {
        guard let file = try? FileDescriptor(path, .update), file.tryLock() else { return false }
        return (try? FileSystem.remove(path)) != nil
    }

    private func write(_ bytes: Data) throws(SystemError) {
        try file.write(PartialPortions.header(of: bytes))
        try file.write(bytes)
    }

    /// Whether others who look find this very file.
    private var isInPlace: Bool {
        guard let own = try? file.status(), let found = try? FileSystem.status(path) else { return false }
        return own.fileNumber == found.fileNumber
    }
}

/// Reads the portions of a file, one after the other, up to the first that is not whole.
struct PartialPortions {
    /// Where the last whole portion ends.
    private(set) var end = 0
    /// How many bytes may follow.
    private(set) var left: Int

    private static let headerByteCount = 4 + BodyDigest.byteCount

    init?(_ file: borrowing FileDescriptor, maxByteCount: Int) {
        guard let status = try? file.status(), status.isRegularFile, status.byteCount <= maxByteCount else {
            return nil
        }
        left = status.byteCount
    }

    mutating func next(_ file: borrowing FileDescriptor) -> Data? {
        guard let header = (try? file.read(count: Self.headerByteCount)).flatMap({ $0 }) else { return nil }
        let (count, digest) = Self.read(header)
        guard count > 0, count <= left - Self.headerByteCount,
            let bytes = (try? file.read(count: count)).flatMap({ $0 }), digest.isDigest(of: bytes)
        else { return nil }
        end += Self.headerByteCount + count
        left -= Self.headerByteCount + count
        return bytes
    }

    static func header(of bytes: Data) -> Data {
        // Another process, after a restart of the machine too, has no other key.
        let digest = BodyDigest(bytes, key: .known)
        var header = Data(capacity: headerByteCount)
        unsafe withUnsafeBytes(of: UInt32(clamping: bytes.count).littleEndian) { unsafe header.append(contentsOf: $0) }
        for word in [digest.high, digest.low] {
            unsafe withUnsafeBytes(of: word.littleEndian) { unsafe header.append(contentsOf: $0) }
        }
        return header
    }

    private static func read(_ header: Data) -> (count: Int, digest: BodyDigest) {
        unsafe header.withUnsafeBytes { bytes in
            let count = unsafe UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let high = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            let low = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
            return (Int(count), BodyDigest(key: .known, high: high, low: low))
        }
    }
}

extension DiskRecord {
    /// What the file of a beginning begins with.
    fileprivate init(_ key: CacheKey, _ identity: BodyIdentity) {
        var metadata = DiskMetadata(
            url: identity.url, extendedData: identity.totalByteCount.map { Data("\($0)".utf8) })
        metadata.validators.etag = identity.validator
        self.init(
            key: key.text, storedAt: WallTime(seconds: 0), byteCount: 0, digest: BodyDigest(Data(), key: .known),
            metadata: metadata)
    }
}

extension BodyIdentity {
    fileprivate init?(_ record: DiskRecord) {
        guard let url = record.metadata.url, let validator = record.metadata.validators.etag else { return nil }
        let total = record.metadata.extendedData.map { Int(String(decoding: $0, as: UTF8.self)) }
        // There, but no number.
        if case .some(nil) = total { return nil }
        self.init(url: url, validator: validator, totalByteCount: total ?? nil)
    }
}
