import Testing
import WebImagePixels

/// Numbers that look random and are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A premultiplied picture of random pixels.
func noise(_ size: PixelSize, _ dice: inout Dice) -> PixelBuffer {
    let rows = (0..<size.height).map { _ in
        (0..<size.width).map { _ in
            PixelColor(
                .random(in: 0...255, using: &dice), .random(in: 0...255, using: &dice),
                .random(in: 0...255, using: &dice), .random(in: 0...255, using: &dice))
        }
    }
    return picture(rows).withAlpha(.premultiplied)
}

/// A picture of one colour; premultiplied in memory.
func flat(_ width: Int, _ height: Int, _ color: PixelColor) -> PixelBuffer {
    var result = picture(Array(repeating: Array(repeating: color, count: width), count: height))
        .withAlpha(.premultiplied)
    if color.alpha == 255 { result.alpha = .opaque }
    return result
}

extension PixelBuffer {
    /// All bytes, without padding.
    var bytes: [UInt8] {
        (0..<height).flatMap { y in withUnsafeRow(y) { Array($0) } }
    }

    /// Every pixel, row by row.
    var allColors: [PixelColor] {
        (0..<height).flatMap { y in (0..<width).map { color(x: $0, y: y)! } }
    }

    /// Whether no colour is above its alpha.
    var isPremultiplied: Bool {
        let bytes = bytes
        return stride(from: 0, to: bytes.count, by: 4).allSatisfy { place in
            bytes[place..<place + 3].allSatisfy { $0 <= bytes[place + 3] }
        }
    }
}

extension PixelColor {
    /// Whether no channel differs by more than `tolerance`.
    func isClose(to other: PixelColor, _ tolerance: Int = 1) -> Bool {
        zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}
