import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

let red = PixelColor(255, 0, 0)
let blue = PixelColor(0, 0, 255)

/// A picture of points that are pixels.
func render(
    _ width: Double, _ height: Double, format: ImageRendererFormat = ImageRendererFormat(),
    _ actions: (DrawingContext) throws -> Void
) throws(ImageError) -> DecodedImage {
    try ImageRenderer(size: ImageSize(width, height), format: format).image(actions)
}

func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> ImageRect {
    ImageRect(x: x, y: y, width: width, height: height)
}

/// The one error that a drawing must end with.
func expectFailure(
    _ code: ImageError.Code = .transformFailed, _ note: String = "", size: ImageSize = ImageSize(20, 20),
    _ actions: (DrawingContext) throws -> Void
) {
    do throws(ImageError) {
        _ = try ImageRenderer(size: size).image(actions)
        Issue.record("a picture was drawn \(note)")
    } catch {
        #expect(error.code == code && error.stage == .transform, "\(note): \(error)")
    }
}

extension DecodedImage {
    func color(_ x: Int, _ y: Int) -> PixelColor? { pixels.color(x: x, y: y) }

    /// The part in which pixels are not transparent; `nil` where all are.
    var ink: PixelRect? {
        var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
        for y in 0..<pixelSize.height {
            for x in 0..<pixelSize.width where color(x, y)?.alpha != 0 {
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
            }
        }
        guard right >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    /// How much is drawn, in whole pixels of alpha.
    var coverage: Double {
        var sum = 0
        for y in 0..<pixelSize.height {
            for x in 0..<pixelSize.width { sum += Int(color(x, y)?.alpha ?? 0) }
        }
        return Double(sum) / 255
    }

    var bytes: [UInt8] { pixels.withUnsafeBytes { Array($0) } }
}

extension PixelColor {
    /// Whether no channel differs by more than `tolerance`.
    func isClose(to other: PixelColor, _ tolerance: Int = 2) -> Bool {
        zip([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}
