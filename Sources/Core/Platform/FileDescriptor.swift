import WebImageFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, closed when the value goes.
struct FileDescriptor: ~Copyable {
    let number: Int32

    /// What a file is opened for.
    enum Mode {
        case read
        /// Fails where the name is taken; readable by the owner only.
        case createNew
        /// To change what is there.
        case update
        /// To find files in a folder, which need not be readable.
        case place
        /// To write what may not be read, such as a switch of the kernel's.
        case write
    }

    init(_ path: String, _ mode: Mode) throws(SystemError) {
        switch mode {
        case .read: number = try Self.openReading(path)
        case .createNew: number = try Self.open(path, O_WRONLY | O_CREAT | O_EXCL)
        case .update: number = try Self.open(path, O_RDWR)
        case .place: number = try Self.open(path, Platform.placeOnly)
        case .write: number = try Self.open(path, O_WRONLY)
        }
    }

    /// Opens a file of a folder to read it.
    init(_ name: String, in folder: borrowing FileDescriptor) throws(SystemError) {
        number = try Self.openReading(name, in: folder.number)
    }

    /// Takes over what another call opened.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Without the kernel's own note of the access, which only a file's owner may ask for.
    private static func openReading(_ path: String, in folder: Int32 = AT_FDCWD) throws(SystemError) -> Int32 {
        do {
            return try open(path, O_RDONLY | Platform.withoutAccessTime, in: folder)
        } catch {
            guard error == .notPermitted else { throw error }
            return try open(path, O_RDONLY, in: folder)
        }
    }

    /// Never follows a link in the last place and never waits for a named pipe's other end.
    private static func open(
        _ path: String, _ flags: Int32, in folder: Int32 = AT_FDCWD
    ) throws(SystemError) -> Int32 {
        Int32(
            try retryingInterrupts {
                Int(SystemCall.openFile(path, in: folder, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600))
            })
    }

    func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    /// Reads until the buffer is full or the file ends, and says how much was read.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let step = try retryingInterrupts { unsafe SystemCall.readBytes(number, rest) }
            if step == 0 { break }
            count += step
        }
        return count
    }

    /// The file's first `count` bytes; `nil` where there are fewer.
    func read(count: Int) throws(SystemError) -> Data? {
        guard count > 0 else { return Data() }
        guard let bytes = unsafe malloc(count) else { throw .outOfMemory }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
        let result = Result { () throws(SystemError) in try unsafe read(into: buffer) }
        guard case .success(count) = result else {
            unsafe free(bytes)
            _ = try result.get()
            return nil
        }
        // Only now: a short `Data` copies the bytes into itself and frees these at once.
        return unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    /// All of a file whose size is not known beforehand, as in `/proc`; at most `limit` bytes of it.
    func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                count = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of the bytes.
    func write(_ data: Data) throws(SystemError) {
        for region in data.regions {
            var failure: SystemError?
            unsafe region.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    try unsafe write(bytes)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let step = try retryingInterrupts { unsafe SystemCall.writeBytes(number, rest) }
            if step == 0 { throw .inputOutput }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
    }

    /// Sets when the file was last read and last written.
    func setTimes(accessed: WallTime, modified: WallTime) throws(SystemError) {
        let times = [accessed.specification, modified.specification]
        guard unsafe futimens(number, times) == 0 else { throw .last }
    }
}

extension WallTime {
    var specification: timespec {
        timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    }
}
