import Foundation
import Testing
import WebImageAllFormats
import WebImageTesting

/// Faults that a reading of the code found: inputs that took hours, gigabytes, or the process with them.
@Suite("Inputs that ask for more than they bring")
struct ReviewedFaultsTests {
    @Test("A profile whose names overlap is named in no time")
    func overlappingNames() throws {
        // One `desc` tag of type mluc: records that all claim the same megabytes of text.
        let recordCount = 200_000
        var tag = Data("mluc\0\0\0\0".utf8)
        tag.append(bigEndian: UInt32(recordCount))
        tag.append(bigEndian: 12)
        let size = 16 + recordCount * 12
        for _ in 0..<recordCount {
            tag.append(contentsOf: Array("xxXX".utf8))
            tag.append(bigEndian: UInt32(size))
            tag.append(bigEndian: 0)
        }
        var profile = Data(count: 128)
        profile.append(bigEndian: 1)
        profile.append(contentsOf: Array("desc".utf8))
        profile.append(bigEndian: 144)
        profile.append(bigEndian: UInt32(tag.count))
        profile.append(tag)
        var options = EncodeOptions()
        options.metadata.colorProfile = profile
        let pixels = try #require(PixelBuffer(size: PixelSize(1, 1), layout: .init(alpha: .opaque)))
        let file = try PNGCoder().encode(DecodedImage(pixels: pixels), to: .png, options: options)
        #expect(try PNGCoder().probe(file).size == PixelSize(1, 1))
    }

    @Test("A JPEG of a million empty segments is one error")
    func segments() throws {
        var file = Data([0xFF, 0xD8])
        for _ in 0..<1_000_000 { file.append(contentsOf: [0xFF, 0xE1, 0x00, 0x02]) }
        file.append(try fixture("base.jpg").dropFirst(2))
        #expect { try JPEGCoder().probe(file) } throws: { error in
            (error as? ImageError)?.code == .badImageData && "\(error)".contains("segments")
        }
    }

    @Test("Frames of another size are refused, not stretched")
    func mismatchedFrames() {
        let frames = UnevenFrames()
        for format in [ImageFormat.gif, .png, .webP] {
            #expect { try coders.encode(frames, to: format, options: EncodeOptions()) } throws: {
                ($0 as? ImageError)?.code == .encodingFailed
            }
        }
    }

    @Test("Durations that no field holds are cut, and end no process")
    func extremeDurations() throws {
        for format in [ImageFormat.gif, .png, .webP] {
            let frames = TimedFrames(durations: [.seconds(1000), .seconds(-5), .milliseconds(100)])
            let file = try coders.encode(frames, to: format, options: EncodeOptions())
            let last = try #require(coders.frames(of: file, options: DecodeOptions()).durations.last)
            #expect(last <= .seconds(1), "\(format)")
        }
    }

    @Test("After a failed end a JPEG XL decoder only repeats its error")
    func failedEnd() throws {
        let data = try Data(contentsOf: fixtureURL("modern/progressive.jxl"))
        let decoder = JPEGXLCoder().incrementalDecoder(options: DecodeOptions())
        let half = data.count / 2
        try data.prefix(half).withUnsafeBytes { try decoder.append($0) }
        #expect(throws: ImageError.self) { try decoder.finish() }
        for _ in 0..<8 {
            #expect(throws: ImageError.self) {
                try data.suffix(from: half).withUnsafeBytes { try decoder.append($0) }
            }
        }
        #expect(throws: ImageError.self) { try decoder.finish() }
    }

    private func fixtureURL(_ name: String, _ file: String = #filePath) -> URL {
        URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(name)")
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: UInt32) {
        append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }
}

/// Two frames of two sizes.
private struct UnevenFrames: FrameSource {
    let frameCount = 2
    let loopCount = 0
    let durations: [Duration] = [.milliseconds(100), .milliseconds(100)]

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        let size = index == 0 ? PixelSize(100, 50) : PixelSize(10, 10)
        return DecodedImage(pixels: PixelBuffer(size: size)!)
    }
}

/// Frames that differ, with any durations.
private struct TimedFrames: FrameSource {
    let durations: [Duration]
    let loopCount = 0
    var frameCount: Int { durations.count }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        var pixels = PixelBuffer(size: PixelSize(4, 4), layout: .init(alpha: .opaque))!
        pixels.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                bytes.storeBytes(
                    of: SIMD4<UInt8>(UInt8(index * 80), 9, 9, 255), toByteOffset: offset, as: SIMD4<UInt8>.self)
            }
        }
        return DecodedImage(pixels: pixels)
    }
}
