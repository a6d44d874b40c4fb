extension FileDescriptor {
    /// The bytes of an extended attribute; `nil` where the file has none of this name or the system keeps none.
    func extendedAttribute(_ name: String) -> [UInt8]? {
        unsafe withExtendedAttribute(name) { bytes in unsafe bytes.map { unsafe Array($0) } }
    }

    /// Hands over the bytes of an extended attribute, good only during the call; `nil` where there is none.
    func withExtendedAttribute<Result>(_ name: String, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.usualAttributeCount, alignment: 8) { buffer in
            let size = unsafe Platform.attribute(number, name, into: buffer)
            if size >= 0 { return unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<size])) }
            guard SystemError.last == .bufferTooSmall, let bytes = largeAttribute(name) else {
                return body(nil)
            }
            return unsafe bytes.withUnsafeBytes { unsafe body($0) }
        }
    }

    /// What nearly all need; it lies on the stack. More costs two calls more.
    private static let usualAttributeCount = 1024

    /// Sets or replaces an extended attribute at one stroke.
    func setExtendedAttribute(_ name: String, to bytes: [UInt8]) throws(SystemError) {
        let result = unsafe bytes.withUnsafeBytes { unsafe Platform.setAttribute(number, name, to: $0) }
        guard result == 0 else { throw .last }
    }

    func removeExtendedAttribute(_ name: String) throws(SystemError) {
        guard Platform.removeAttribute(number, name) == 0 else { throw .last }
    }

    private func largeAttribute(_ name: String) -> [UInt8]? {
        let size = unsafe Platform.attribute(number, name, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        guard size > 0 else { return nil }
        var isFound = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let size = unsafe Platform.attribute(number, name, into: UnsafeMutableRawBufferPointer(buffer))
            isFound = size >= 0
            count = max(size, 0)
        }
        return isFound ? bytes : nil
    }
}
