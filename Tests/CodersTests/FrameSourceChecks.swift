import Foundation
import Testing
import WebImageCore
import WebImagePixels

extension FrameSource {
    /// All frames, in order.
    func all() throws -> [PixelBuffer] {
        try (0..<frameCount).map { try frame(at: $0).pixels }
    }
}

extension PixelBuffer {
    /// The bytes in memory, without comparing colour by colour.
    func hasSameBytes(as other: PixelBuffer) -> Bool {
        guard size == other.size, alpha == other.alpha else { return false }
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                mine.elementsEqual(theirs)
            }
        }
    }
}

/// Frames asked for in any order, from several threads at once, are those that come one after the other.
func expectRandomAccess(
    _ coder: any AnimatedImageCoder, _ data: Data, options: DecodeOptions = DecodeOptions()
) async throws {
    let frames = try coder.frames(of: data, options: options)
    let expected = try frames.all()
    let backwards = try coder.frames(of: data, options: options)
    for index in expected.indices.reversed() {
        #expect(try backwards.frame(at: index).pixels.hasSameBytes(as: expected[index]), "frame \(index) backwards")
    }
    for index in expected.indices {
        let fresh = try coder.frames(of: data, options: options).frame(at: index)
        #expect(fresh.pixels.hasSameBytes(as: expected[index]), "frame \(index) first of all")
        var single = options
        single.frameIndex = index
        #expect(
            try coder.decode(data, options: single).pixels.hasSameBytes(as: expected[index]), "frame \(index) alone")
    }
    let wrongCount = await withTaskGroup(of: Int.self) { group in
        for seed in 0..<8 {
            group.addTask {
                let indices = (0..<20).map { (seed * 7 + $0 * (seed * 2 + 1)) % expected.count }
                return indices.count { index in
                    (try? frames.frame(at: index))?.pixels.hasSameBytes(as: expected[index]) != true
                }
            }
        }
        return await group.reduce(0, +)
    }
    #expect(wrongCount == 0)
}

/// However the bytes are cut, the last picture is that of decoding them in one go, and not too many come before it.
func expectDripFeed(
    _ coder: any ProgressiveImageCoder, _ data: Data, _ options: DecodeOptions = DecodeOptions()
) throws {
    try expectSameHoweverCut(coder, data, options)
    let run = try IncrementalRun(coder, data, pieces: 1, options)
    #expect(run.partials.count <= 16)
    #expect(run.partials.allSatisfy { $0.attributes.scale == options.scaleFactor })
}
