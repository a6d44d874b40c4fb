public import WebImageFoundation

/// Pictures made on the spot, with known bytes.
public enum TestPictures {
    /// 64 × 64 pixels of (255, 0, 0): a PNG of exactly 12,420 bytes.
    public static let red = solidPNG(red: 255, green: 0, blue: 0)
    /// 64 × 64 pixels of (0, 255, 0): a PNG of exactly 12,420 bytes.
    public static let green = solidPNG(red: 0, green: 255, blue: 0)

    /// A PNG of one colour: 8-bit RGB, not compressed, no colour profile.
    public static func solidPNG(red: UInt8, green: UInt8, blue: UInt8, width: Int = 64, height: Int = 64) -> Data {
        let row = [UInt8(0)] + Array(repeating: [red, green, blue], count: width).joined()
        let size = [width, height].flatMap { StoredDeflate.bigEndian(UInt32($0)) }
        let rows = Array(repeating: row, count: height).flatMap(\.self)
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += chunk("IHDR", size + [8, 2, 0, 0, 0])
        bytes += chunk("IDAT", StoredDeflate.zlib(rows))
        bytes += chunk("IEND", [])
        return Data(bytes)
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return StoredDeflate.bigEndian(UInt32(content.count)) + body
            + StoredDeflate.bigEndian(StoredDeflate.crc32(body))
    }
}

extension ScriptedHTTPServer {
    /// `TestPictures.red`.
    public static var red: Data { TestPictures.red }
    /// `TestPictures.green`.
    public static var green: Data { TestPictures.green }
}
