public import WebImageFoundation

/// What the header of an ICC profile says.
public struct ColorProfileInfo: Sendable, Hashable {
    /// What the profile calls itself, in English where there is a choice; `nil` when it does not.
    public let name: String?
    /// Of what it is the profile: `mntr` for a display, `scnr` for a camera or scanner, `prtr` for a printer.
    public let deviceClass: String
    /// The channels that it describes: `RGB`, `GRAY`, `CMYK`.
    public let colorSpace: String
    /// As `4.3`.
    public let version: String

    /// What a profile says; `nil` when the bytes are none.
    public init?(_ profile: Data) {
        let reader = ByteReader(profile, .bigEndian)
        guard reader.has("acsp", at: 36), let major = reader.uint8(8), let minor = reader.uint8(9),
            let deviceClass = Self.text(in: reader, at: 12), let colorSpace = Self.text(in: reader, at: 16)
        else { return nil }
        name = ICCProfileName.name(of: profile)
        self.deviceClass = deviceClass
        self.colorSpace = colorSpace
        version = "\(major).\(minor >> 4)"
    }

    private static func text(in reader: ByteReader, at offset: Int) -> String? {
        guard let bytes = reader.bytes(offset, count: 4) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
