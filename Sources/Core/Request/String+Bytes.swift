/// What is asked of the text of every load, where a search for texts would take microseconds.
extension String {
    /// Whether an ASCII character is in it.
    func hasByte(_ character: Unicode.Scalar) -> Bool {
        let byte = UInt8(ascii: character)
        return unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.has(byte) } ?? utf8.contains(byte)
    }

    /// Whether it is an address of the scheme, which is given in small letters.
    func hasScheme(_ scheme: StaticString) -> Bool {
        unsafe UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount).isScheme(of: utf8)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a byte is in it; eight at a step.
    fileprivate func has(_ byte: UInt8) -> Bool {
        let bytes = UnsafeRawBufferPointer(self)
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let wanted = ones &* UInt64(byte)
        var place = 0
        while place <= count - 8 {
            // A byte that was the wanted one is 0 now; only such a one, or a 1 above it, borrows into its highest bit.
            let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ wanted
            if (word &- ones) & ~word & highs != 0 { return true }
            place += 8
        }
        while place < count {
            if unsafe self[place] == byte { return true }
            place += 1
        }
        return false
    }

    fileprivate func isScheme(of text: String.UTF8View) -> Bool {
        var place = 0
        for byte in text {
            guard place < count else { return byte == UInt8(ascii: ":") }
            let small = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
            guard unsafe small == self[place] else { return false }
            place += 1
        }
        return false
    }
}
