public import WebImageFoundation
public import WebImagePixels

extension RowEncoding {
    /// What a file with one or three channels of colour is written as.
    public struct Channels: Sendable, Hashable {
        /// Whether one channel does: red, green and blue are the same in every pixel.
        public var isGray: Bool
        /// The colour profile, where it describes these channels; a file with one of others would be a wrong one.
        public var profile: Data?
    }

    /// The channels of the picture beside a profile. It is written in colour beside a profile for colours, whatever its
    /// pixels are.
    ///
    /// - Parameter background: What lies below transparent pixels in a format without alpha; `nil` in one with it.
    public func channels(beside profile: Data?, over background: PixelColor? = nil) -> Channels {
        guard let profile else { return Channels(isGray: isGray(over: background), profile: nil) }
        switch ColorProfileInfo(profile)?.colorSpace {
        case "GRAY":
            let isGray = isGray(over: background)
            return Channels(isGray: isGray, profile: isGray ? profile : nil)
        case "CMYK": return Channels(isGray: isGray(over: background), profile: nil)
        default: return Channels(isGray: false, profile: profile)
        }
    }

    private func isGray(over background: PixelColor?) -> Bool {
        if hasAlpha, let background, background.red != background.green || background.green != background.blue {
            return false
        }
        return (0..<size.height).allSatisfy(isGrayRow)
    }
}
