import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

/// Thumbnails of progressive files that leave scans unread.
@Suite struct JPEGSufficiencyTests {
    private static func options(_ width: Double) -> DecodeOptions {
        var options = DecodeOptions.thumbnail(width, 0)
        options.thumbnailQuality = .fast
        return options
    }

    /// The offsets of all scans.
    private func scans(of data: Data) -> [Int] {
        data.indices.filter { $0 + 1 < data.endIndex && data[$0] == 0xFF && data[$0 + 1] == 0xDA }
    }

    /// The file with bytes of its last scan made wrong.
    private func damaged(_ data: Data) throws -> Data {
        var data = data
        let start = try #require(scans(of: data).last) + 12
        for index in start..<data.count - 2 where data[index] != 0xFF && data[index - 1] != 0xFF { data[index] ^= 0x55 }
        return data
    }

    @Test("What a small picture cannot show is not read", arguments: ["420_progressive", "444_progressive"])
    func lastScanIsUnread(_ name: String) throws {
        let data = try jpegFixture("sampling_\(name)")
        let damaged = try damaged(data)
        for width in [8.0, 16, 20] {
            let fast = try JPEGCoder().decode(data, options: Self.options(width)).pixels
            let exact = try JPEGCoder().decode(data, options: .thumbnail(width, 0)).pixels
            #expect(fast.size == exact.size)
            #expect(fast.distance(to: exact) ?? 255 <= 12, "\(width)")
            #expect(fast.distance(to: exact) ?? 0 > 0, "\(width)")
            #expect(try JPEGCoder().decode(damaged, options: Self.options(width)).pixels.allBytes == fast.allBytes)
        }
    }

    @Test("A thumbnail that needs the last scan reads it")
    func lastScanIsRead() throws {
        let data = try jpegFixture("sampling_420_progressive")
        for options in [DecodeOptions(), .thumbnail(160, 0)] {
            var fast = options
            fast.thumbnailQuality = .fast
            let exact = try JPEGCoder().decode(data, options: options).pixels
            #expect(try JPEGCoder().decode(data, options: fast).pixels.allBytes == exact.allBytes)
        }
    }

    @Test("In pieces, cut or not, the same is left unread", arguments: ["420_progressive", "444_progressive"])
    func pieces(_ name: String) throws {
        let data = try jpegFixture("sampling_\(name)")
        try expectSameHoweverCut(JPEGCoder(), data, Self.options(16))
        for count in stride(from: 700, to: data.count - 2, by: 61) {
            let cut = data.prefix(count)
            #expect(failure { _ = try JPEGCoder().decode(cut, options: Self.options(16)) }?.code == .badImageData)
            let error = failure { _ = try IncrementalRun(JPEGCoder(), cut, pieces: 300, Self.options(16)) }
            #expect(error?.code == .badImageData, "\(count) bytes")
        }
    }

    @Test("Other kinds are read whole", arguments: ["own_scans", "gray", "arithmetic", "sampling_422"])
    func otherKinds(_ name: String) throws {
        let data = try jpegFixture(name)
        let exact = try JPEGCoder().decode(data, options: .thumbnail(8, 0)).pixels
        #expect(try JPEGCoder().decode(data, options: Self.options(8)).pixels.allBytes == exact.allBytes)
    }
}
