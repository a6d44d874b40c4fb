#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension FileDescriptor {
    /// Makes the file so long; what is added reads as zeros.
    func setLength(_ byteCount: Int) throws(SystemError) {
        guard ftruncate(number, off_t(byteCount)) == 0 else { throw .last }
    }

    /// Cuts off what is behind a place, where the next bytes are then written.
    func cut(to byteCount: Int) throws(SystemError) {
        try setLength(byteCount)
        guard lseek(number, off_t(byteCount), SEEK_SET) >= 0 else { throw .last }
    }

    /// Writes a byte at a place.
    func write(_ byte: UInt8, at offset: Int) throws(SystemError) {
        var byte = byte
        guard unsafe pwrite(number, &byte, 1, off_t(offset)) == 1 else { throw .last }
    }

    /// Writes bytes at a place.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        guard unsafe pwrite(number, bytes.baseAddress, bytes.count, off_t(offset)) == bytes.count else { throw .last }
    }

    /// Whether no other open file had the lock, which this one has now, until it is closed or the process ends.
    func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Gives the lock back.
    func unlock() { _ = flock(number, LOCK_UN) }
}
