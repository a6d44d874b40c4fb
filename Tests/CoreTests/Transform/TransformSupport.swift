import Testing
import WebImageCore
import WebImagePixels

/// A picture whose pixels a closure tells, straight; premultiplied in memory.
func drawn(
    _ size: PixelSize, scale: Double = 1, format: ImageFormat? = .png, _ color: (Int, Int) -> PixelColor
) -> DecodedImage {
    var pixels = PixelBuffer(size: size, layout: .init(alpha: .straight))!
    var isOpaque = true
    let bytesPerRow = pixels.bytesPerRow
    pixels.withUnsafeMutableBytes { bytes in
        for y in 0..<size.height {
            for x in 0..<size.width {
                let color = color(x, y)
                if color.alpha != 255 { isOpaque = false }
                bytes.storeBytes(
                    of: SIMD4(color.red, color.green, color.blue, color.alpha),
                    toByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
            }
        }
    }
    pixels = pixels.withAlpha(.premultiplied)
    if isOpaque { pixels.alpha = .opaque }
    return DecodedImage(pixels: pixels, attributes: .init(format: format, scale: scale))
}

/// What the TR tests look at, on a picture of our own: 300×300, transparent but for a black bar at the top, (100,5) to
/// (200,35), and a translucent red block at the left, (60,130) to (100,170).
func testImage(scale: Double = 1) -> DecodedImage {
    drawn(PixelSize(300, 300), scale: scale) { x, y in
        if (100..<200).contains(x), (5..<35).contains(y) { return .black }
        if (60..<100).contains(x), (130..<170).contains(y) { return PixelColor(200, 50, 40, 191) }
        return .clear
    }
}

extension DecodedImage {
    func color(_ x: Int, _ y: Int) -> PixelColor? { pixels.color(x: x, y: y) }
}

extension PixelColor {
    /// Whether no channel differs by more than `tolerance`.
    func isClose(to other: PixelColor, _ tolerance: Int = 2) -> Bool {
        zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}

/// The one error that a transformer must end with.
func expectTransformFailed(_ transformer: any ImageTransformer, _ image: DecodedImage, _ note: String = "") {
    do throws(ImageError) {
        _ = try transformer.apply(to: image)
        Issue.record("\(transformer.key) made a picture \(note)")
    } catch {
        #expect(error.code == .transformFailed && error.stage == .transform, "\(transformer.key)")
    }
}
