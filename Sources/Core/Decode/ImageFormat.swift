/// A picture file format. An open set: a coder of a new format adds its own constant.
public struct ImageFormat: RawRepresentable, Hashable, Sendable {
    /// The usual file name ending, lower case, such as `jpeg`.
    public let rawValue: String

    /// A format by its usual file name ending.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// JPEG, ISO/IEC 10918-1.
    public static let jpeg = ImageFormat(rawValue: "jpeg")
    /// PNG and APNG, ISO/IEC 15948.
    public static let png = ImageFormat(rawValue: "png")
    /// GIF87a and GIF89a.
    public static let gif = ImageFormat(rawValue: "gif")
    /// WebP, RFC 9649.
    public static let webP = ImageFormat(rawValue: "webp")
    /// AVIF, AV1 pictures and sequences in an ISO media file.
    public static let avif = ImageFormat(rawValue: "avif")
    /// HEIC and HEIF, ISO/IEC 23008-12.
    public static let heic = ImageFormat(rawValue: "heic")
    /// JPEG XL, ISO/IEC 18181.
    public static let jpegXL = ImageFormat(rawValue: "jxl")
    /// TIFF 6.0 and BigTIFF.
    public static let tiff = ImageFormat(rawValue: "tiff")
    /// SVG, drawn at the size asked for.
    public static let svg = ImageFormat(rawValue: "svg")
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: "bmp")
    /// Windows icon.
    public static let ico = ImageFormat(rawValue: "ico")
    /// PDF, ISO 32000.
    public static let pdf = ImageFormat(rawValue: "pdf")
}

extension ImageFormat: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

extension ImageFormat {
    /// The format that a file name ending stands for when a file is to be written; `nil` for an unknown one.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
        case "png", "apng": self = .png
        case "gif": self = .gif
        case "webp": self = .webP
        case "avif": self = .avif
        case "heic", "heif": self = .heic
        case "jxl": self = .jpegXL
        case "tif", "tiff": self = .tiff
        case "svg": self = .svg
        case "bmp": self = .bmp
        case "ico": self = .ico
        case "pdf": self = .pdf
        default: return nil
        }
    }
}
