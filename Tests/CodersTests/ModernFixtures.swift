import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageHEIF
import WebImageJXL
import WebImagePixels

let modernCoders = CodersManager([.avif, .heif, .jpegXL])

/// A file of `Tests/Fixtures/modern`, made by `Tests/Fixtures/recipes/make_modern_formats.py`.
func modernFixture(_ name: String, _ file: String = #filePath) throws -> Data {
    let tests = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appendingPathComponent("Fixtures/modern/\(name)"))
}

func modernPixels(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> PixelBuffer {
    try modernCoders.decode(modernFixture(name), options: options).pixels
}

extension DecodeOptions {
    static var straight: DecodeOptions {
        var options = DecodeOptions()
        options.alpha = .straight
        return options
    }

    static var small: DecodeOptions {
        DecodeOptions(limits: DecodeLimits(maxPixelCount: 1 << 15, maxDimension: 1 << 10))
    }
}

extension PixelBuffer {
    /// Whether the four quarters are of the given colours: top left, top right, bottom left, bottom right.
    func hasQuarters(_ colors: [PixelColor], tolerance: Int = 0) -> Bool {
        let places = [(1, 1), (3, 1), (1, 3), (3, 3)].map { (x: width * $0.0 / 4, y: height * $0.1 / 4) }
        return zip(places, colors).allSatisfy { $1.distance(to: color(x: $0.x, y: $0.y)) <= tolerance }
    }
}

let cornerColors = [PixelColor.fullRed, .fullGreen, .fullBlue, .white]

/// The corner colours after a number of turns of the recipe.
func cornerColors(turn: Int) -> [PixelColor] {
    (0..<4).map { cornerColors[($0 + turn) % 4] }
}

/// A picture within the limits, or one error that names the format.
func expectPictureOrNamedError(_ data: Data, of coder: any ImageCoder, named format: ImageFormat) {
    do {
        let image = try coder.decode(data, options: .small)
        #expect(image.pixelSize.pixelCount ?? .max <= DecodeOptions.small.limits.maxPixelCount)
    } catch {
        #expect(error.stage == .decode)
        #expect(error.message.contains(format.rawValue))
    }
    if let error = failure(of: { _ = try coder.probe(data) }) { #expect(error.code == .badImageData) }
    if let coder = coder as? any MetadataImageCoder {
        let error = failure { _ = try coder.metadata(of: data, limits: DecodeOptions.small.limits) }
        #expect(error?.message.contains(format.rawValue) ?? true)
    }
}

/// Flips one bit in each of some hundred places, spread over the file.
func flippedBits(of data: Data, count: Int = 400) -> [Data] {
    (0..<count).map { step in
        var copy = data
        let bit = step * (data.count * 8 - 1) / max(1, count - 1)
        copy[copy.startIndex + bit / 8] ^= 1 << (bit % 8)
        return copy
    }
}

/// The frames, asked for in a wild order by several threads at once, and the same ones asked for alone.
func expectFramesInAnyOrder(_ data: Data, of coder: any AnimatedImageCoder) throws {
    let source = try coder.frames(of: data, options: DecodeOptions())
    let alone = try (0..<source.frameCount).map { index in
        try coder.decode(data, options: DecodeOptions(frameIndex: index)).pixels
    }
    let order = (0..<24).map { $0 * 7 % source.frameCount }
    let frames = Frames(count: order.count)
    DispatchQueue.concurrentPerform(iterations: order.count) { step in
        frames.set(step, try? source.frame(at: order[step]).pixels)
    }
    for (step, index) in order.enumerated() {
        #expect(try #require(frames.get(step)).distance(to: alone[index]) == 0, "frame \(index) at step \(step)")
    }
    for index in [-1, source.frameCount] {
        #expect(failure { _ = try source.frame(at: index) }?.code == .badImageData)
    }
}

/// What threads left in their places.
///
/// `@unchecked Sendable`: the array is touched under the lock only.
private final class Frames: @unchecked Sendable {
    private let lock = NSLock()
    private var frames: [PixelBuffer?]

    init(count: Int) {
        frames = Array(repeating: nil, count: count)
    }

    func set(_ index: Int, _ frame: PixelBuffer?) {
        lock.withLock { frames[index] = frame }
    }

    func get(_ index: Int) -> PixelBuffer? {
        lock.withLock { frames[index] }
    }
}

@Suite struct ModernFormatsTests {
    @Test(arguments: [
        "sequence.avif", "metadata.avif", "alpha_by_cell.avif", "faded.heic", "metadata.heic", "animation.jxl",
    ])
    func aSliceIsAsGoodAsTheWhole(_ name: String) throws {
        let data = try modernFixture(name)
        let slice = (Data([1, 2, 3]) + data).dropFirst(3)
        #expect(try modernCoders.probe(slice) == modernCoders.probe(data))
        let pixels = try modernCoders.decode(slice, options: DecodeOptions()).pixels
        #expect(try pixels.distance(to: modernPixels(name)) == 0)
    }
}
