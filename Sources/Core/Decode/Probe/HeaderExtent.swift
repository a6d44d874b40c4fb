import WebImageFoundation

/// Whether the first bytes of a file hold its header.
enum HeaderExtent: Sendable, Hashable {
    /// What the structure of the file tells beside the header.
    struct Known: Sendable, Hashable {
        /// Whether nothing behind the header changes what it says.
        var isFinal = false
        /// As announced.
        var frameCount: Int?
    }

    /// The header is there, or whether it is cannot be told without decoding.
    case whole(Known)
    /// So many bytes from the start are wanted before it is worth looking again.
    case needs(Int)

    /// Looks at the file's structure only: nothing is decoded, and nothing but its end is checked.
    init(of format: ImageFormat, in prefix: Data) {
        let bigEndian = ByteReader(prefix, .bigEndian)
        let littleEndian = ByteReader(prefix, .littleEndian)
        switch format {
        case .jpeg: self = .jpeg(bigEndian)
        case .png: self = .png(bigEndian)
        case .gif: self = .gif(littleEndian)
        case .webP: self = .webP(littleEndian)
        case .avif, .heic: self = .isoMedia(bigEndian)
        case .jpegXL: self = .jpegXL(bigEndian)
        case .tiff: self = .tiff(prefix)
        case .bmp: self = .bitmap(littleEndian)
        case .ico: self = .icon(littleEndian)
        case .svg: self = .svg(prefix)
        default: self = .whole(Known())
        }
    }
}
