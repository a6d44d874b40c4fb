package import WebImageFoundation

extension EXIFTags {
    /// The JPEG of the small picture that a camera put into the block, as large as the block says; `nil` where there is
    /// none, or it does not begin as a JPEG does.
    package var thumbnail: Data? {
        guard let offset = number(0x0201), let count = number(0x0202), let bytes = bytes(offset, count: count),
            bytes.starts(with: [0xFF, 0xD8, 0xFF])
        else { return nil }
        return bytes
    }

    private func number(_ tag: Int) -> Int? {
        guard case .integers(let numbers)? = self[.thumbnail, tag] else { return nil }
        return numbers.first
    }
}
