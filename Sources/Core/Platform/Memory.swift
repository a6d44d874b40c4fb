import CWebImageSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a program can ask of the processor's memory.
enum Memory {
    /// Has an object's head come near, which counting a reference is about to change; the object stays as it is.
    ///
    /// A counted reference waits for all reads before it, so that nothing else would fetch the two side by side.
    @inline(__always)
    static func prefetch(_ object: AnyObject?) {
        guard let address = unsafe UnsafeRawPointer(bitPattern: unsafeBitCast(object, to: UInt.self)) else { return }
        unsafe cwebimage_prefetch(address)
    }

    /// Memory for so many bytes, for `resize` and `deallocate`. Ends the process where there is none, as Swift's own
    /// does.
    static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        guard let start = unsafe malloc(max(byteCount, 1)) else { fatalError("no memory for \(byteCount) bytes") }
        return unsafe start
    }

    /// The same bytes, as far as they fit, in a larger or smaller piece. Of large ones the system moves the pages: none
    /// is copied, and none is there twice.
    static func resize(_ start: UnsafeMutableRawPointer, to byteCount: Int) -> UnsafeMutableRawPointer {
        guard let resized = unsafe realloc(start, max(byteCount, 1)) else {
            fatalError("no memory for \(byteCount) bytes")
        }
        return unsafe resized
    }

    static func deallocate(_ start: UnsafeMutableRawPointer) {
        unsafe free(start)
    }
}
