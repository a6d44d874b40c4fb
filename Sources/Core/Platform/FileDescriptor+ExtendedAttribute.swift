extension FileDescriptor {
    /// The bytes of an extended attribute; `nil` where the file has none of this name or the system keeps none.
    func extendedAttribute(_ name: String) -> [UInt8]? {
        // What ext4 has room for; more is found on other file systems and costs a second call.
        if let bytes = attribute(name, capacity: 4096) { return bytes }
        guard SystemError.last == .bufferTooSmall else { return nil }
        let size = unsafe Platform.attribute(number, name, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        return size > 0 ? attribute(name, capacity: size) : nil
    }

    /// Sets or replaces an extended attribute at one stroke.
    func setExtendedAttribute(_ name: String, to bytes: [UInt8]) throws(SystemError) {
        let result = unsafe bytes.withUnsafeBytes { unsafe Platform.setAttribute(number, name, to: $0) }
        guard result == 0 else { throw .last }
    }

    func removeExtendedAttribute(_ name: String) throws(SystemError) {
        guard Platform.removeAttribute(number, name) == 0 else { throw .last }
    }

    /// `errno` tells why there is none.
    private func attribute(_ name: String, capacity: Int) -> [UInt8]? {
        var isFound = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let size = unsafe Platform.attribute(number, name, into: UnsafeMutableRawBufferPointer(buffer))
            isFound = size >= 0
            count = max(size, 0)
        }
        return isFound ? bytes : nil
    }
}
