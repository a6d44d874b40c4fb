public import WebImageFoundation

/// What the samples of a file mean as colour, as the file says it.
public struct SourceColor: Sendable, Hashable {
    /// What the four bytes of a row's pixel are.
    public var channels: Channels
    /// How they map to colour.
    public var encoding: Encoding

    /// What the four bytes of a row's pixel are.
    public enum Channels: Sendable, Hashable {
        /// Red, green, blue, alpha.
        case rgb
        /// Grey three times, then alpha.
        case gray
        /// Cyan, magenta, yellow, black; 255 is full ink. No alpha.
        case cmyk
    }

    /// How samples map to colour.
    public enum Encoding: Sendable, Hashable {
        /// The file says nothing, or says sRGB. CMYK is taken by the plain formula (255 − ink)(255 − black) / 255.
        case standard
        /// An ICC profile. One that cannot be read, or is for other channels, counts as `standard`.
        case profile(Data)
        /// CIE xy of white, red, green and blue, and the exponent that decodes samples to light (PNG cHRM and gAMA).
        case primaries(Primaries, gamma: Double)
        /// Code points of ITU-T H.273 for primaries and transfer (PNG cICP, nclx of AVIF and HEIF).
        case codePoints(primaries: Int, transfer: Int)
    }

    /// CIE 1931 xy chromaticities.
    public struct Primaries: Sendable, Hashable {
        /// Of white.
        public var white: Point
        /// Of full red.
        public var red: Point
        /// Of full green.
        public var green: Point
        /// Of full blue.
        public var blue: Point

        /// A chromaticity.
        public struct Point: Sendable, Hashable {
            /// CIE x.
            public var x: Double
            /// CIE y.
            public var y: Double

            /// A chromaticity: x, then y.
            public init(_ x: Double, _ y: Double) {
                self.x = x
                self.y = y
            }
        }

        /// The four chromaticities.
        public init(white: Point, red: Point, green: Point, blue: Point) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// What the samples are, and how they map to colour.
    public init(_ channels: Channels = .rgb, _ encoding: Encoding = .standard) {
        self.channels = channels
        self.encoding = encoding
    }
}
