import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImageJPEG
import WebImagePNG
import WebImagePixels
import WebImageWebP

/// The inputs of the field cases, made by `Tests/Fixtures/cases/gen.py`.
func fixture(_ name: String, _ file: String = #filePath) throws -> Data {
    let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appendingPathComponent("Fixtures/cases/\(name)"))
}

let coders = CodersManager([.jpeg, .png, .gif, .webP])

/// Decodes a fixture with whichever coder knows it.
func decoded(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
    try coders.decode(fixture(name), options: options)
}

func frame(_ index: Int, of name: String) throws -> PixelBuffer {
    try decoded(name, DecodeOptions(frameIndex: index)).pixels
}

extension DecodeOptions {
    static func thumbnail(_ width: Double, _ height: Double) -> DecodeOptions {
        DecodeOptions(thumbnailPixelSize: ImageSize(width, height))
    }
}

extension PixelBuffer {
    /// The colours of the pixels at the given places.
    func colors(_ places: [(x: Int, y: Int)]) -> [PixelColor?] {
        places.map { color(x: $0.x, y: $0.y) }
    }

    /// Every pixel, row by row.
    var allColors: [PixelColor?] {
        (0..<height).flatMap { y in (0..<width).map { color(x: $0, y: y) } }
    }

    /// The largest difference of any channel of any pixel; `nil` for pictures of different sizes.
    func distance(to other: PixelBuffer) -> Int? {
        guard size == other.size else { return nil }
        return zip(allColors, other.allColors).map { $0?.distance(to: $1) ?? 255 }.max()
    }
}

extension PixelColor {
    static let fullRed = PixelColor(255, 0, 0)
    static let fullGreen = PixelColor(0, 255, 0)
    static let fullBlue = PixelColor(0, 0, 255)

    func distance(to other: PixelColor?) -> Int {
        guard let other else { return 255 }
        return zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .map { abs(Int($0) - Int($1)) }.max() ?? 255
    }
}

/// The error that the work ends with.
func failure(of work: () throws -> Void) -> ImageError? {
    do {
        try work()
        return nil
    } catch {
        return error as? ImageError
    }
}

/// A picture drawn from a rule.
func picture(
    _ size: PixelSize, alpha: AlphaMode, _ color: (_ x: Int, _ y: Int) -> PixelColor
) throws -> DecodedImage {
    var pixels = try #require(PixelBuffer(size: size, layout: .init(alpha: .straight)))
    pixels.withUnsafeMutableBytes { bytes in
        for y in 0..<size.height {
            for x in 0..<size.width {
                let color = color(x, y)
                bytes.storeBytes(
                    of: SIMD4(color.red, color.green, color.blue, color.alpha), toByteOffset: (y * size.width + x) * 4,
                    as: SIMD4<UInt8>.self)
            }
        }
    }
    if alpha == .opaque { pixels.alpha = .opaque }
    return DecodedImage(pixels: alpha == .premultiplied ? pixels.withAlpha(.premultiplied) : pixels)
}
