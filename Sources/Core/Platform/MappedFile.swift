import CWebImageSystem
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of fixed length that many processes read without system calls and change through the kernel.
///
/// Changes go through the kernel and not through the mapping: a full disk is then an error and no signal. Whoever cuts
/// the file short while it is mapped ends the process that reads it, as with a database's files; nothing here does.
///
/// `@unchecked Sendable`: the mapping is only ever read, by single bytes and words, which cannot be torn, or as copies
/// that whoever asks for one tells whole or not; it lives as long as this object.
@safe final class MappedFile: @unchecked Sendable {
    private let file: FileDescriptor
    private let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    private let number: UInt64
    /// The system's lock is the open file's, so that it does not keep threads of this process apart.
    private let isLocked = Atomic(false)

    /// Maps a file that must be so long.
    init(_ path: String, byteCount: Int) throws(SystemError) {
        let file = try FileDescriptor(path, .update)
        let status = try file.status()
        guard status.isRegularFile, status.byteCount == byteCount, Platform.hasCoherentMappings(file.number) else {
            throw .notRegular
        }
        let bytes = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.number, 0)
        guard let bytes = unsafe bytes, unsafe bytes != MAP_FAILED else { throw .last }
        self.file = file
        unsafe self.bytes = bytes
        self.byteCount = byteCount
        number = status.fileNumber
    }

    deinit {
        unsafe _ = munmap(bytes, byteCount)
    }

    /// What the byte is now.
    subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount)
        return unsafe bytes.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// What the eight bytes at a place, a multiple of eight, are now.
    func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= byteCount - 8)
        return unsafe bytes.load(fromByteOffset: offset, as: UInt64.self)
    }

    /// Says that bytes will be read soon, so that they come from memory while other things are done.
    func prefetch(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 64) {
            unsafe cwebimage_prefetch(bytes + offset)
        }
    }

    /// Copies what is there, to which others may be writing.
    func copy(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) {
        precondition(offset >= 0 && offset <= byteCount - buffer.count)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes + offset, count: buffer.count))
    }

    /// Changes bytes for all, who may see them half written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try unsafe file.write(bytes, at: offset)
    }

    /// Changes a byte for all.
    func write(_ byte: UInt8, at offset: Int) throws(SystemError) {
        try file.write(byte, at: offset)
    }

    /// Whether this is the file of that name still.
    func isAt(_ path: String) -> Bool {
        (try? FileSystem.status(path))?.fileNumber == number
    }

    /// Runs the work unless another process or thread is at such work.
    func withLock(_ work: () -> Void) {
        guard !isLocked.exchange(true, ordering: .acquiring) else { return }
        defer { isLocked.store(false, ordering: .releasing) }
        guard file.tryLock() else { return }
        defer { file.unlock() }
        work()
    }
}
