import Foundation
import Testing
import WebImageBMP
import WebImageCore
import WebImagePixels

@Suite struct BMPHostileTests {
    private let coder = BMPCoder()

    private func rarer(_ name: String) throws -> Data { try fixture("../rarer/\(name)") }

    @Test("B34 what a header claims is checked before room is made", arguments: [0, 1])
    func B34_claims(_ compression: Int) {
        let bits = compression == 0 ? 24 : 8
        let file = BMPFile(
            width: 40_000, height: 40_000, bits: bits, compression: compression,
            pixels: [UInt8](repeating: 0, count: 400))
        for options in [DecodeOptions(), .thumbnail(8, 8)] {
            #expect(failure { _ = try coder.decode(file.data, options: options) }?.code == .limitExceeded)
        }
    }

    @Test("Sizes of nothing, the least of all numbers, and pixels behind the end")
    func extremes() throws {
        for (width, height) in [(Int32(0), Int32(1)), (1, 0), (-1, 1), (1, .min), (.max, .max), (.min, .min)] {
            for bits in [1, 8, 24, 32] {
                let file = BMPFile(width: width, height: height, bits: bits, pixels: [0, 0, 0, 0])
                #expect(failure { _ = try coder.decode(file.data) } != nil)
                _ = try coder.probe(file.data)
            }
        }
        var data = try rarer("rgb24.bmp")
        data.replaceSubrange(10..<14, with: [0x01, 0x00, 0xFF, 0xFF])
        #expect(failure { _ = try coder.decode(data) }?.message.contains("the file has \(data.count) bytes") == true)
    }

    private func hostile() throws -> [Data] {
        try ["rgb24.bmp", "palette8.bmp", "bilevel.bmp"].map(rarer) + [
            BMPFile.runs(8, (3, 4), [1, 0, 0, 2, 1, 2, 1, 1, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 1]),
            BMPFile.runs(4, (5, 2), [3, 0x01, 0, 5, 0x23, 0x10, 0x20, 0, 0, 0, 5, 0x12, 0, 1]),
            BMPFile.masked([0, 0, 255, 128, 0, 255, 0, 0], headerByteCount: 124),
        ]
    }

    @Test func everyPrefixAndEveryFlippedBit() throws {
        for file in try hostile() {
            for count in 0..<file.count { expectPictureOrError(of: coder, file.prefix(count)) }
            var data = file
            for index in data.indices {
                for bit in 0..<8 where data.count < 400 || bit % 3 == index % 3 {
                    data[index] ^= 1 << bit
                    expectPictureOrError(of: coder, data)
                    data[index] ^= 1 << bit
                }
            }
        }
    }

    @Test func theMonitorEndsTheWork() throws {
        let monitor = DecodeMonitor(limits: DecodeLimits(), isCancelled: { true })
        for data in try hostile() {
            #expect(
                failure { _ = try coder.decode(data, options: DecodeOptions(), monitor: monitor) }?.code == .cancelled)
        }
    }
}

func expectPictureOrError(of coder: any ImageCoder, _ data: Data) {
    let limits = DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13)
    do {
        let image = try coder.decode(data, options: DecodeOptions(limits: limits))
        #expect(image.pixelSize.pixelCount ?? .max <= limits.maxPixelCount)
    } catch {
        #expect(!error.message.isEmpty && error.stage == .decode)
    }
    if let error = failure(of: { _ = try coder.probe(data) }) { #expect(error.code == .badImageData) }
}
