/// The blocks of a chain, one after the other.
@safe struct GIFBlocks {
    private let bytes: UnsafeRawBufferPointer
    /// Where the next block begins.
    private(set) var offset: Int
    /// Whether the empty block has come that ends the chain.
    private(set) var isAtEnd = false

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        unsafe self.bytes = unsafe bytes
        self.offset = offset
    }

    /// What the next block holds; `nil` at the end of the chain, and when the block is not whole.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard !isAtEnd, unsafe offset < bytes.count else { return nil }
        let size = unsafe Int(bytes[offset])
        guard unsafe size < bytes.count - offset else { return nil }
        let start = offset + 1
        offset = start + size
        isAtEnd = size == 0
        return isAtEnd ? nil : unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
    }
}
