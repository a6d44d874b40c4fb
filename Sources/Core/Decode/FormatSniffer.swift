public import WebImageFoundation

/// Tells a format by its signature: every byte of it, never one byte, never the file's name, never the server's word.
public enum FormatSniffer {
    /// The format that the first bytes show, or `nil`. Consumes nothing; 64 bytes are enough for all but SVG (1,024).
    public static func format(of data: Data) -> ImageFormat? {
        let head = [UInt8](data.prefix(1024))
        if let binary = signatures.first(where: { $0.matches(head) }) { return binary.format }
        if isCursor(head) { return .ico }
        return isoMediaFormat(head) ?? (looksLikeSVG(head) ? .svg : nil)
    }

    private struct Signature {
        let format: ImageFormat
        /// The bytes at the start; `nil` stands for any byte.
        let bytes: [UInt8?]

        func matches(_ head: [UInt8]) -> Bool {
            head.count >= bytes.count && zip(bytes, head).allSatisfy { $0 == nil || $0 == $1 }
        }
    }

    private static let signatures: [Signature] = [
        Signature(format: .jpeg, bytes: [0xFF, 0xD8, 0xFF]),
        Signature(format: .png, bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Signature(format: .gif, bytes: Array("GIF87a".utf8)),
        Signature(format: .gif, bytes: Array("GIF89a".utf8)),
        Signature(format: .webP, bytes: Array("RIFF".utf8) + [nil, nil, nil, nil] + Array("WEBP".utf8)),
        Signature(format: .tiff, bytes: [0x49, 0x49, 0x2A, 0x00]),
        Signature(format: .tiff, bytes: [0x4D, 0x4D, 0x00, 0x2A]),
        Signature(format: .tiff, bytes: [0x49, 0x49, 0x2B, 0x00, 0x08, 0x00]),
        Signature(format: .tiff, bytes: [0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08]),
        Signature(format: .jpegXL, bytes: [0xFF, 0x0A]),
        Signature(
            format: .jpegXL, bytes: [0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        // The two reserved fields of a bitmap header are 0 in practice; "BM" alone would claim any text.
        Signature(format: .bmp, bytes: [0x42, 0x4D, nil, nil, nil, nil, 0x00, 0x00, 0x00, 0x00]),
        Signature(format: .ico, bytes: [0x00, 0x00, 0x01, 0x00, nil, 0x00]),
        Signature(format: .pdf, bytes: Array("%PDF-".utf8)),
    ]

    /// A cursor begins as some TGA files do: it lists pictures, and the first of them lies behind the list.
    private static func isCursor(_ head: [UInt8]) -> Bool {
        guard head.count >= 22, head[..<4].elementsEqual([0, 0, 2, 0]), head[9] == 0 else { return false }
        let count = Int(head[4]) | Int(head[5]) << 8
        let place = head[18..<22].reversed().reduce(0) { $0 << 8 | Int($1) }
        return count > 0 && place >= 6 + 16 * count
    }

    /// AVIF and HEIC share a container and say which they are in brands, the major one or any compatible one
    /// (ISO 14496-12, 4.3). `avif` anywhere wins: HEIC decoders cannot read it, whatever the major brand says.
    private static func isoMediaFormat(_ head: [UInt8]) -> ImageFormat? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let boxSize = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(head.count, boxSize)
        guard end >= 12 else { return nil }
        let starts = [8] + Array(stride(from: 16, through: end - 4, by: 4))
        let brands = starts.filter { $0 + 4 <= end }.map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
        if brands.contains(where: ["avif", "avis"].contains) { return .avif }
        let heicBrands = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]
        return brands.contains(where: heicBrands.contains) ? .heic : nil
    }

    private static func looksLikeSVG(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard text.hasPrefix("<") else { return false }
        if text.hasPrefix("<svg") { return true }
        // A web page may begin the same way and hold a drawing.
        return isXMLProlog(text) && text.contains("<svg") && !text.lowercased().contains("<html")
    }

    private static func isXMLProlog(_ text: Substring) -> Bool {
        text.hasPrefix("<?xml") || text.hasPrefix("<!--") || text.hasPrefix("<!DOCTYPE svg")
    }
}
