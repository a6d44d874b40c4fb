/// The blurred impression of a picture in 5 to 25 bytes, proportions and alpha included, to be shown until the picture
/// is there.
///
/// The bytes are those of evanw/thumbhash (2023): the cosine waves of lightness, two colour differences and alpha.
public struct ThumbHash: Sendable, Hashable {
    /// The hash as it is stored or sent.
    public let bytes: [UInt8]
    private let header: Header
    private let channels: Channels

    /// The hash that a server sent; `nil` for bytes that are none.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= 32, let header = Header(bytes) else { return nil }
        guard let channels = Channels(bytes, header) else { return nil }
        self.bytes = bytes
        self.header = header
        self.channels = channels
    }

    /// The hash of a picture.
    public init(of pixels: PixelBuffer) {
        let bytes = ThumbHashEncoding(PlaceholderSamples(pixels)).bytes
        guard let hash = ThumbHash(bytes) else { preconditionFailure("an encoded hash is one") }
        self = hash
    }

    /// Width by height of the picture, roughly: the hash keeps a small fraction.
    public var aspectRatio: Double { Double(header.waves.width) / Double(header.waves.height) }

    /// Whether the picture had transparent parts.
    public var hasAlpha: Bool { header.hasAlpha }

    /// The mean colour.
    public var averageColor: PixelColor {
        Self.color(header.lightness, header.yellowBlue, header.redGreen, header.alpha)
    }

    /// The size at which it is usually made: 32 pixels on the longer side.
    public var preferredSize: PixelSize {
        let ratio = aspectRatio
        return PixelSize(
            max(1, Int((ratio > 1 ? 32 : 32 * ratio).rounded())), max(1, Int((ratio > 1 ? 32 / ratio : 32).rounded())))
    }

    /// The impression at a size, by default the preferred one; premultiplied. Views enlarge it.
    ///
    /// - Returns: `nil` for an empty size and for one of more than 1,048,576 pixels.
    public func pixels(size: PixelSize? = nil) -> PixelBuffer? {
        let size = size ?? preferredSize
        guard let count = size.pixelCount, count <= 1 << 20 else { return nil }
        let layout = PixelBuffer.Layout(alpha: .straight)
        guard var pixels = PixelBuffer(size: size, layout: layout) else { return nil }
        let across = CosineTable(count: size.width, waves: 7, .middle)
        let down = CosineTable(count: size.height, waves: 7, .middle)
        unsafe pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let color = color(across, x, down, y)
                    let offset = (y * size.width + x) * 4
                    let pixel = SIMD4(color.red, color.green, color.blue, color.alpha)
                    unsafe bytes.storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<UInt8>.self)
                }
            }
            unsafe premultiply(bytes)
        }
        pixels.alpha = hasAlpha ? .premultiplied : .opaque
        return pixels
    }

    private func color(_ across: CosineTable, _ x: Int, _ down: CosineTable, _ y: Int) -> PixelColor {
        func value(_ channel: Channels.Waves, _ mean: Double) -> Double {
            channel.values.reduce(mean) { $0 + 2 * $1.amount * across[$1.column, x] * down[$1.row, y] }
        }
        return Self.color(
            value(channels.lightness, header.lightness), value(channels.yellowBlue, header.yellowBlue),
            value(channels.redGreen, header.redGreen), value(channels.alpha, header.alpha))
    }

    private static func color(
        _ lightness: Double, _ yellowBlue: Double, _ redGreen: Double, _ alpha: Double
    ) -> PixelColor {
        let blue = lightness - 2.0 / 3 * yellowBlue
        let red = (3 * lightness - blue + redGreen) / 2
        let green = red - redGreen
        func byte(_ value: Double) -> UInt8 { UInt8((min(1, max(0, value)) * 255).rounded()) }
        return PixelColor(byte(red), byte(green), byte(blue), byte(alpha))
    }
}

extension ThumbHash {
    /// The five or six bytes before the waves.
    fileprivate struct Header: Sendable, Hashable {
        let lightness: Double
        let yellowBlue: Double
        let redGreen: Double
        let alpha: Double
        let scales: SIMD4<Double>
        let hasAlpha: Bool
        /// Of lightness.
        let waves: PixelSize
        let byteCount: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 5 else { return nil }
            let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            let second = Int(bytes[3]) | Int(bytes[4]) << 8
            hasAlpha = first >> 23 == 1
            byteCount = hasAlpha ? 6 : 5
            guard bytes.count >= byteCount else { return nil }
            lightness = Double(first & 63) / 63
            yellowBlue = Double(first >> 6 & 63) / 31.5 - 1
            redGreen = Double(first >> 12 & 63) / 31.5 - 1
            alpha = hasAlpha ? Double(bytes[5] & 15) / 15 : 1
            scales = SIMD4(
                Double(first >> 18 & 31) / 31, Double(second >> 3 & 63) / 63 * 1.25,
                Double(second >> 9 & 63) / 63 * 1.25, hasAlpha ? Double(bytes[5] >> 4) / 15 : 0)
            let longer = hasAlpha ? 5 : 7
            let shorter = max(1, second & 7)
            waves = second >> 15 == 1 ? PixelSize(longer, shorter) : PixelSize(shorter, longer)
        }
    }

    /// The waves of each channel, half a byte each.
    fileprivate struct Channels: Sendable, Hashable {
        struct Waves: Sendable, Hashable {
            struct Wave: Sendable, Hashable {
                let column: Int
                let row: Int
                let amount: Double
            }
            var values: [Wave] = []
        }

        let lightness: Waves
        let yellowBlue: Waves
        let redGreen: Waves
        let alpha: Waves

        init?(_ bytes: [UInt8], _ header: Header) {
            var halves = bytes[header.byteCount...].flatMap { [$0 & 15, $0 >> 4] }[...]
            func take(_ width: Int, _ height: Int, _ scale: Double) -> Waves? {
                var waves = Waves()
                for place in ThumbHashWaves.places(width, height) where place != (0, 0) {
                    guard let half = halves.popFirst() else { return nil }
                    let amount = (Double(half) / 7.5 - 1) * scale
                    waves.values.append(.init(column: place.column, row: place.row, amount: amount))
                }
                return waves
            }
            let waves = header.waves
            guard let lightness = take(max(3, waves.width), max(3, waves.height), header.scales[0]),
                let yellowBlue = take(3, 3, header.scales[1]), let redGreen = take(3, 3, header.scales[2]),
                let alpha = header.hasAlpha ? take(5, 5, header.scales[3]) : Waves()
            else { return nil }
            self.lightness = lightness
            self.yellowBlue = yellowBlue
            self.redGreen = redGreen
            self.alpha = alpha
        }
    }
}

/// Which waves a hash has of a channel: those under a diagonal, row by row.
enum ThumbHashWaves {
    static func places(_ width: Int, _ height: Int) -> [(column: Int, row: Int)] {
        (0..<height).flatMap { row in
            (0..<width).filter { $0 * height < width * (height - row) }.map { (column: $0, row: row) }
        }
    }
}
