import CWebImageGdkPixbuf
import WebImageCore
import WebImageFoundation

/// A format by the loader that gdk-pixbuf has for it.
struct PixbufFormat {
    /// What gdk-pixbuf calls it.
    let loaderName: String

    /// What this library calls it.
    var name: ImageFormat { ImageFormat(rawValue: loaderName) }

    /// `nil` for bytes that no loader claims, and for those that another coder of this library would take.
    init?(of data: Data) {
        if FormatSniffer.format(of: data) != nil { return nil }
        let head = [UInt8](data.prefix(1024))
        let claims = PixbufSignature.installed.compactMap { signature -> (String, Int)? in
            guard let relevance = signature.relevance(of: head) else { return nil }
            return Self.isPlausible(head, for: signature.loaderName) ? (signature.loaderName, relevance) : nil
        }
        guard let best = claims.max(by: { $0.1 < $1.1 }), best.1 > 0 else { return nil }
        loaderName = best.0
    }

    static func required(of data: Data) throws(ImageError) -> PixbufFormat {
        if let format = PixbufFormat(of: data) { return format }
        throw ImageError(
            .badImageData, .decode,
            "the bytes are of no format that the loaders of gdk-pixbuf read; "
                + "known are \(Set(PixbufSignature.installed.map(\.loaderName)).sorted().joined(separator: ", "))")
    }

    /// Some loaders' signatures are so weak that random bytes or a program's source would pass.
    private static func isPlausible(_ head: [UInt8], for loaderName: String) -> Bool {
        let reader = ByteReader(Data(head), .littleEndian)
        switch loaderName {
        case "pnm": return [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x23].contains(reader.uint8(2))
        case "xbm": return String(decoding: head, as: UTF8.self).contains("_width")
        case "tga":
            guard let map = reader.uint8(1), let type = reader.uint8(2), let depth = reader.uint8(16) else {
                return false
            }
            return map <= 1 && [1, 2, 3, 9, 10, 11].contains(type) && [8, 15, 16, 24, 32].contains(depth)
                && reader.uint16(12) != 0 && reader.uint16(14) != 0
        default: return true
        }
    }
}
