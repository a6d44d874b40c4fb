/// The blurred impression of a picture in a short text, to be shown until the picture is there.
///
/// The text is that of woltapp/blurhash, version of 2018 (its `Algorithm.md` gives the formulas): a number of cosine
/// waves across and down, each with a colour in linear light, written in base 83. It knows no alpha and no proportions.
public struct BlurHash: Sendable, Hashable {
    /// 6 to 166 characters of ASCII.
    public let text: String
    /// Waves across, 1…9.
    public let horizontalComponents: Int
    /// Waves down, 1…9.
    public let verticalComponents: Int
    /// Row by row; the first is the mean colour. Linear light, 0…1, red green blue.
    private let components: [SIMD3<Double>]

    /// The hash that a server sent; `nil` for a text that is none.
    public init?(_ text: String) {
        guard text.utf8.count <= 166, let digits = Base83.digits(of: text), digits.count >= 6 else { return nil }
        let columns = digits[0] % 9 + 1
        let rows = digits[0] / 9 + 1
        guard rows <= 9, digits.count == 4 + 2 * columns * rows else { return nil }
        self.text = text
        horizontalComponents = columns
        verticalComponents = rows
        components = Self.components(digits)
    }

    /// The hash of a picture, whose transparent parts are taken as white.
    ///
    /// - Parameters:
    ///   - horizontalComponents: Waves across, 1…9; more give more detail and a longer text. Others are brought into
    ///     that range.
    ///   - verticalComponents: Waves down, 1…9.
    public init(of pixels: PixelBuffer, horizontalComponents: Int = 4, verticalComponents: Int = 3) {
        let columns = min(9, max(1, horizontalComponents))
        let rows = min(9, max(1, verticalComponents))
        let samples = PlaceholderSamples(pixels)
        let light = (0..<samples.count).map { index in
            let pixel = samples.straight[index]
            let color = SIMD3(pixel[0], pixel[1], pixel[2]) * pixel[3] + SIMD3(repeating: 1 - pixel[3])
            return SIMD3(color[0].linearLight, color[1].linearLight, color[2].linearLight)
        }
        var waves: [SIMD3<Double>] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let sum = samples.sum(light, column, row, .edge)
                waves.append(sum * (column + row == 0 ? 1 : 2) / Double(samples.count))
            }
        }
        let digits = Self.digits(waves, columns, rows)
        text = Base83.text(of: digits)
        self.horizontalComponents = columns
        self.verticalComponents = rows
        // As anyone reads it who gets the text.
        components = Self.components(digits)
    }

    /// The mean colour.
    public var averageColor: PixelColor { Self.color(components[0]) }

    /// The impression at a size, opaque; a size of about 32 is enough for any, since views enlarge it.
    ///
    /// - Parameter punch: 1 shows the hash as it is, more raises the contrast.
    /// - Returns: `nil` for an empty size and for one of more than 1,048,576 pixels.
    public func pixels(size: PixelSize, punch: Double = 1) -> PixelBuffer? {
        guard let count = size.pixelCount, count <= 1 << 20, var pixels = PixelBuffer(size: size) else { return nil }
        let across = CosineTable(count: size.width, waves: horizontalComponents, .edge)
        let down = CosineTable(count: size.height, waves: verticalComponents, .edge)
        let contrast = punch.isFinite ? punch : 1
        pixels.alpha = .opaque
        unsafe pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let color = Self.color(light(across, x, down, y, contrast))
                    unsafe bytes.storeBytes(
                        of: SIMD4(color.red, color.green, color.blue, 255),
                        toByteOffset: (y * size.width + x) * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return pixels
    }

    private func light(
        _ across: CosineTable, _ x: Int, _ down: CosineTable, _ y: Int, _ contrast: Double
    ) -> SIMD3<Double> {
        var sum = components[0]
        for row in 0..<verticalComponents {
            for column in 0..<horizontalComponents where row + column > 0 {
                let wave = across[column, x] * down[row, y] * contrast
                sum += components[row * horizontalComponents + column] * wave
            }
        }
        return sum
    }

    private static func color(_ light: SIMD3<Double>) -> PixelColor {
        PixelColor(light[0].encodedByte, light[1].encodedByte, light[2].encodedByte)
    }
}

extension BlurHash {
    /// What the digits mean: count of waves, largest wave, mean colour, waves.
    private static func components(_ digits: [Int]) -> [SIMD3<Double>] {
        let largest = Double(digits[1] + 1) / 166
        let mean = digits[2..<6].reduce(0) { $0 * 83 + $1 }
        var components = [
            SIMD3(
                (Double(mean >> 16 & 255) / 255).linearLight, (Double(mean >> 8 & 255) / 255).linearLight,
                (Double(mean & 255) / 255).linearLight)
        ]
        for place in stride(from: 6, to: digits.count - 1, by: 2) {
            let value = digits[place] * 83 + digits[place + 1]
            let steps = SIMD3(Double(value / 361), Double(value / 19 % 19), Double(value % 19))
            let wave = (steps - SIMD3(repeating: 9)) / 9
            components.append(wave.signedSquare * largest)
        }
        return components
    }

    private static func digits(_ waves: [SIMD3<Double>], _ columns: Int, _ rows: Int) -> [Int] {
        var digits = [columns - 1 + (rows - 1) * 9]
        let others = waves.dropFirst()
        let peak = others.reduce(0) { max($0, abs($1[0]), abs($1[1]), abs($1[2])) }
        let step = others.isEmpty ? 0 : min(82, max(0, Int((peak * 166 - 0.5).rounded(.down))))
        digits.append(step)
        let mean = SIMD3(
            Int(waves[0][0].encodedByte), Int(waves[0][1].encodedByte), Int(waves[0][2].encodedByte))
        digits += Base83.digits(of: mean[0] << 16 | mean[1] << 8 | mean[2], count: 4)
        let largest = others.isEmpty ? 1 : Double(step + 1) / 166
        for wave in others {
            let steps = (0..<3).map { channel in
                min(18, max(0, Int(((wave[channel] / largest).signedRoot * 9 + 9.5).rounded(.down))))
            }
            digits += Base83.digits(of: steps[0] * 361 + steps[1] * 19 + steps[2], count: 2)
        }
        return digits
    }
}

/// The digits of a BlurHash.
private enum Base83 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    static func digits(of text: String) -> [Int]? {
        var digits: [Int] = []
        for byte in text.utf8 {
            guard let digit = alphabet.firstIndex(of: byte) else { return nil }
            digits.append(digit)
        }
        return digits
    }

    static func digits(of number: Int, count: Int) -> [Int] {
        var rest = number
        var digits: [Int] = []
        for _ in 0..<count {
            digits.append(rest % 83)
            rest /= 83
        }
        return digits.reversed()
    }

    static func text(of digits: [Int]) -> String {
        String(decoding: digits.map { alphabet[$0] }, as: UTF8.self)
    }
}

extension SIMD3<Double> {
    fileprivate var signedSquare: SIMD3<Double> {
        SIMD3(self[0] * abs(self[0]), self[1] * abs(self[1]), self[2] * abs(self[2]))
    }
}

extension Double {
    fileprivate var signedRoot: Double { self < 0 ? -(-self).squareRoot() : squareRoot() }

    /// The linear light of an sRGB value 0…1, IEC 61966-2-1.
    fileprivate var linearLight: Double {
        self <= 0.04045 ? self / 12.92 : power((self + 0.055) / 1.055, 2.4)
    }

    /// The sRGB byte of linear light, rounded to the nearest.
    fileprivate var encodedByte: UInt8 {
        let light = Swift.min(1, Swift.max(0, self))
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055
        return UInt8(Swift.min(255, Swift.max(0, (value * 255 + 0.5).rounded(.down))))
    }
}
