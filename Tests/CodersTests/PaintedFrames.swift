import Synchronization
import WebImageCore
import WebImagePixels

/// An animation drawn from a rule.
struct PaintedFrames: FrameSource {
    var frameCount: Int
    var loopCount = 0
    var durations: [Duration]
    let color: @Sendable (_ frame: Int, _ x: Int, _ y: Int) -> PixelColor
    var size = PixelSize(8, 6)

    init(count: Int, _ color: @escaping @Sendable (_ frame: Int, _ x: Int, _ y: Int) -> PixelColor) {
        frameCount = count
        durations = (0..<count).map { .milliseconds(50 + $0 % 5 * 10) }
        self.color = color
    }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        do {
            return try picture(size, alpha: .premultiplied) { x, y in color(index, x, y) }
        } catch {
            throw ImageError(.badImageData, .decode, "no frame \(index)")
        }
    }
}

extension PaintedFrames {
    /// Of one colour.
    init(count: Int, size: PixelSize) {
        self.init(count: count) { _, _, _ in .fullBlue }
        self.size = size
    }
}

/// Five frames, and which were asked for.
final class CountingFrames: FrameSource {
    let frameCount = 5
    let loopCount = 0
    let durations: [Duration] = Array(repeating: .milliseconds(100), count: 5)
    let asked = Mutex<[Int]>([])

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        asked.withLock { $0.append(index) }
        let frames = PaintedFrames(count: 5) { frame, x, _ in PixelColor(UInt8(frame * 20), UInt8(x), 0) }
        return try frames.frame(at: index)
    }
}
