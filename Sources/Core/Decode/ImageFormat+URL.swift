import WebImageFoundation

extension ImageFormat {
    /// What the path of a URL ends in. The text is read from its end, for taking a URL apart costs microseconds.
    init?(pathOf url: URL) {
        var text = url.absoluteString
        guard let ending = text.withUTF8({ bytes in unsafe Self.ending(of: bytes) }) else {
            self.init(fileExtension: url.pathExtension)
            return
        }
        self.init(fileExtension: ending)
    }

    /// The letters and digits after the last dot of a path; `nil` where it is not as plain as that.
    private static func ending(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var (slashes, dot, end) = (0, -1, 0)
        while end < bytes.count {
            let byte = unsafe bytes[end]
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "%") { dot = -1 }
            if byte == UInt8(ascii: ".") { dot = end }
            if byte == UInt8(ascii: "/") { (slashes, dot) = (slashes + 1, -1) }
            end += 1
        }
        // After the third slash the host is over.
        guard slashes >= 3, dot >= 0, end - dot <= 5 else { return nil }
        return unsafe String(decoding: bytes[(dot + 1)..<end], as: UTF8.self)
    }
}
