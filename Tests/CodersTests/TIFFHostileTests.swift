import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTIFF

/// Whatever the bytes: a picture within the limits, or one error that says what is wrong.
@Suite struct TIFFHostileTests {
    private let coder = TIFFCoder()
    private static let limits = DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13)

    /// One file for each way of reading.
    static let files: [(name: String, data: Data)] = [
        ("strips", TIFFFile().data),
        ("planes", TIFFFile(bits: 16, samples: 4, isPlanar: true, extraSamples: [1]).data),
        ("tiles", TIFFFile(size: PixelSize(5, 3), photometric: 5, samples: 4, tile: PixelSize(16, 16)).data),
        ("palette", TIFFFile(photometric: 3, bits: 2, samples: 1, palette: Array(0..<12)).data(sample: 3)),
        ("big", TIFFFile(photometric: 0, bits: 4, samples: 1, isBigEndian: true, isBigTIFF: true).data(sample: 9)),
        ("yCbCr", TIFFFile(photometric: 6).data),
    ]
    static let compressed = ["rgb_lzw_predictor", "rgb_deflate", "gray_packbits", "bilevel_g4", "ycbcr_jpeg"]

    @Test(arguments: files.map(\.name) + compressed)
    func everyPrefix(_ name: String) throws {
        let data = try bytes(name)
        for count in 0..<data.count { expectPictureOrError(data.prefix(count)) }
        // Without its last pixel data a file is no picture.
        if let file = Self.files.first(where: { $0.name == name }) {
            #expect(throws: ImageError.self) { try coder.decode(file.data.prefix(file.data.count / 2)) }
        }
    }

    @Test(arguments: files.map(\.name) + compressed)
    func everyFlippedBit(_ name: String) throws {
        var data = try bytes(name)
        for index in data.indices {
            for bit in 0..<8 where data.count < 500 || bit % 3 == index % 3 {
                data[index] ^= 1 << bit
                expectPictureOrError(data)
                data[index] ^= 1 << bit
            }
        }
    }

    @Test func rubbish() {
        for start in [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A], [0x49, 0x49, 0x2B, 0, 8, 0], []] as [[UInt8]] {
            for rest in [
                [], [UInt8](repeating: 0xFF, count: 300), (0..<2000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) },
            ] {
                let data = Data(start + rest)
                let error = failure { _ = try coder.decode(data) }
                #expect(error?.code == .badImageData)
                #expect(error?.message.contains("tiff") == true)
            }
        }
    }

    @Test(
        "B34 what a header claims is checked before room is made",
        arguments: [
            [256: 60_000, 257: 60_000], [256: 1_000_000_000], [256: 200_000],
        ])
    func B34_claims(_ lies: [Int: Int]) {
        let data = TIFFFile(lies: lies).data
        for options in [DecodeOptions(), .thumbnail(8, 8)] {
            #expect(failure { _ = try coder.decode(data, options: options) }?.code == .limitExceeded)
        }
    }

    @Test(
        "B34 parts far larger than the picture are refused",
        arguments: [
            [322: 1 << 20, 323: 1 << 20], [322: 1 << 30, 323: 1 << 30], [277: 65_000], [322: 0], [323: 0],
            [256: 0x7FFF_FFFF, 257: 0x7FFF_FFFF], [256: 0], [258: 0], [258: 33], [277: 0],
        ])
    func B34_parts(_ lies: [Int: Int]) {
        let data = TIFFFile(tile: PixelSize(16, 16), lies: lies).data
        let error = failure { _ = try coder.decode(data) }
        #expect(error?.code == .limitExceeded || error?.code == .badImageData)
    }

    @Test func theMonitorEndsTheWork() {
        let monitor = DecodeMonitor(limits: DecodeLimits(), isCancelled: { true })
        let error = failure { _ = try coder.decode(TIFFFile().data, options: DecodeOptions(), monitor: monitor) }
        #expect(error?.code == .cancelled)
    }

    private func bytes(_ name: String) throws -> Data {
        try Self.files.first { $0.name == name }?.data ?? fixture("../rarer/\(name).tiff")
    }

    private func expectPictureOrError(_ data: Data) {
        for options in [DecodeOptions(limits: Self.limits), Self.thumbnailOptions] {
            do {
                let image = try coder.decode(data, options: options)
                #expect(image.pixelSize.pixelCount ?? .max <= Self.limits.maxPixelCount)
            } catch {
                #expect(error.message.contains("tiff"))
            }
        }
        if let error = failure(of: { _ = try coder.metadata(of: data, limits: Self.limits) }) {
            #expect(error.code == .badImageData)
        }
    }

    private static var thumbnailOptions: DecodeOptions {
        var options = DecodeOptions.thumbnail(3, 3)
        options.limits = limits
        return options
    }
}

extension TIFFFile {
    /// With samples that a depth of few bits can hold.
    fileprivate func data(sample mask: Int) -> Data {
        var file = self
        file.sample = { x, y, _ in (x + y) & mask }
        return file.data
    }
}
