package import WebImageFoundation

/// A copy of a file's bytes that stays where it is, for a decoder that outlives the call it was made in.
///
/// `@unchecked Sendable`: the bytes are written once, before anyone else has them.
@safe
package final class StableBytes: @unchecked Sendable {
    private let copy: UnsafeMutableRawBufferPointer

    package init(_ data: Data) {
        unsafe copy = .allocate(byteCount: data.count, alignment: 16)
        unsafe copy.copyBytes(from: data)
    }

    deinit {
        unsafe copy.deallocate()
    }

    /// Good as long as this object lives.
    package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(copy) }
}
