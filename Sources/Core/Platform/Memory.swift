import CWebImageSystem

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
}
