/// How the part of a picture that matters is told.
public enum CropInterest: String, Sendable, Hashable, CaseIterable {
    /// The part with the most varied brightness.
    case entropy
    /// The part that draws the eye: edges, strong colours, skin.
    case attention
}

extension PixelBuffer {
    /// The part of the picture, of the given proportions and as large as they allow, that matters most; of several
    /// alike the one nearest the middle. The same picture gives the same part every time.
    ///
    /// - Parameter shape: Only its proportions count.
    /// - Returns: `nil` for an empty shape.
    public func interestingPart(shape: PixelSize, _ interest: CropInterest) -> ImageRect? {
        guard !shape.isEmpty else { return nil }
        let crop = size.centredCrop(filling: shape)
        // Only one way is free: the crop fills the other.
        let isSideways = Double(width) - crop.width >= Double(height) - crop.height
        let free = isSideways ? Double(width) - crop.width : Double(height) - crop.height
        guard free >= 1, let map = InterestMap(self, isSideways: isSideways) else { return crop }
        let part = (isSideways ? crop.width : crop.height) / Double(isSideways ? width : height)
        let lines = min(map.lines.count, max(1, Int((part * Double(map.lines.count)).rounded())))
        let first = map.best(lines, interest)
        let steps = map.lines.count - lines
        let offset = steps == 0 ? free / 2 : free * Double(first) / Double(steps)
        return isSideways
            ? ImageRect(x: offset, y: crop.y, width: crop.width, height: crop.height)
            : ImageRect(x: crop.x, y: offset, width: crop.width, height: crop.height)
    }
}

/// How much there is to see in each line of a small copy of a picture.
private struct InterestMap {
    /// What a line that the crop may leave out holds.
    struct Line {
        /// Edges, colour and skin, added up.
        var attention: Float = 0
        /// How many pixels have each of 32 steps of brightness.
        var brightness = [Float](repeating: 0, count: 32)
    }

    private(set) var lines: [Line]

    /// `isSideways` asks for columns, otherwise for rows.
    init?(_ picture: PixelBuffer, isSideways: Bool) {
        guard let small = picture.resized(to: picture.size.fitted(in: ImageSize(96, 96))) else { return nil }
        lines = Array(repeating: Line(), count: isSideways ? small.width : small.height)
        small.withReader { reader in
            for y in 0..<small.height {
                for x in 0..<small.width {
                    let here = reader.pixel(x, y)
                    let right = reader.pixel(min(x + 1, small.width - 1), y)
                    let below = reader.pixel(x, min(y + 1, small.height - 1))
                    let line = isSideways ? x : y
                    lines[line].attention += Self.attention(here, right, below)
                    lines[line].brightness[Int(here.bounded.brightness * 31)] += here.w
                }
            }
        }
    }

    /// The first of so many lines that are the most interesting together.
    func best(_ count: Int, _ interest: CropInterest) -> Int {
        let steps = lines.count - count
        var (best, highest) = (steps / 2, -Float.infinity)
        // From the middle outwards, so that the first of several alike is the nearest.
        for first in (0...steps).sorted(by: { abs(2 * $0 - steps) < abs(2 * $1 - steps) }) {
            let window = lines[first..<first + count]
            let score = interest == .attention ? window.reduce(0) { $0 + $1.attention } : Self.entropy(window)
            if score > highest * 1.0001 + 1e-6 { (best, highest) = (first, score) }
        }
        return best
    }

    private static func entropy(_ window: ArraySlice<Line>) -> Float {
        let counts = (0..<32).map { step in window.reduce(0) { $0 + $1.brightness[step] } }
        let total = counts.reduce(0, +)
        guard total > 0 else { return 0 }
        return counts.reduce(0) { sum, count in
            count > 0 ? sum - count / total * Float(logarithm(Double(count / total))) : sum
        }
    }

    private static func attention(_ here: SIMD4<Float>, _ right: SIMD4<Float>, _ below: SIMD4<Float>) -> Float {
        let light = here.brightness
        let edge = abs(light - right.brightness) + abs(light - below.brightness)
        let saturation = max(here.x, here.y, here.z) - min(here.x, here.y, here.z)
        return 4 * edge + saturation + skin(here)
    }

    /// Nearness of the colour's direction to that of skin.
    private static func skin(_ pixel: SIMD4<Float>) -> Float {
        let length = (pixel.x * pixel.x + pixel.y * pixel.y + pixel.z * pixel.z).squareRoot()
        guard length > 0.2 else { return 0 }
        let offset = SIMD3(pixel.x, pixel.y, pixel.z) / length - SIMD3(0.78, 0.57, 0.44)
        return max(0, 1 - (offset * offset).sum().squareRoot() * 5)
    }
}

extension SIMD4<Float> {
    /// At most 1 for a pixel within 0…1.
    fileprivate var brightness: Float { 0.2126 * x + 0.7152 * y + 0.0722 * z }
}
