import Foundation
import Testing
import WebImageCore
import WebImageJPEG
import WebImagePixels

@Suite struct JPEGMetadataTests {
    private func metadata() throws -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.exif = Data("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        metadata.iptc = Data([0x1C, 2, 5, 0, 3]) + Data("abc".utf8)
        metadata.colorProfile = try fixture("swapped_rg.icc")
        return metadata
    }

    private func encoded(_ metadata: ImageMetadata) throws -> Data {
        var options = EncodeOptions()
        options.metadata = metadata
        let image = try picture(PixelSize(8, 8), alpha: .opaque) { _, _ in .fullRed }
        return try JPEGCoder().encode(image, to: .jpeg, options: options)
    }

    @Test func whatIsWrittenIsRead() throws {
        let data = try encoded(metadata())
        #expect(try JPEGCoder().metadata(of: data, limits: DecodeLimits()) == metadata())
        #expect(try JPEGCoder().metadata(of: encoded(ImageMetadata()), limits: DecodeLimits()).isEmpty)
    }

    @Test func aLongProfileIsJoinedAndLongBlocksAreLeftOut() throws {
        var metadata = ImageMetadata()
        metadata.colorProfile = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) })
        metadata.exif = Data(count: 65_600)
        metadata.xmp = Data(repeating: 0x20, count: 65_533)
        let read = try JPEGCoder().metadata(of: encoded(metadata), limits: DecodeLimits())
        #expect(read.colorProfile == metadata.colorProfile)
        #expect(read.exif == nil)
        #expect(read.xmp == nil)
    }

    @Test func blocksOverTheLimitAreLeftOut() throws {
        let data = try encoded(metadata())
        var limits = DecodeLimits()
        limits.maxMetadataByteCount = 55
        let read = try JPEGCoder().metadata(of: data, limits: limits)
        #expect(read.colorProfile == nil)
        #expect(read.exif != nil)
        #expect(read.xmp != nil)
        #expect(read.iptc == nil)
    }

    @Test func iptcIsFoundBetweenOtherResources() throws {
        let record = Data([0x1C, 2, 5, 0, 1, 0x61, 0, 0])
        let blocks =
            Data("8BIM".utf8) + [0x03, 0xED, 3] + Data("abc".utf8) + [0, 0, 0, 3, 1, 2, 3, 0]
            + Data("8BIM".utf8) + [0x04, 0x04, 0, 0, 0, 0, 0, UInt8(record.count)] + record
        // Cut in two, as long ones are.
        let segments = [blocks.prefix(20), blocks.dropFirst(20)].map { part in
            let body = Data("Photoshop 3.0\0".utf8) + part
            return Data([0xFF, 0xED, 0, UInt8(body.count + 2)]) + body
        }
        let plain = try fixture("exif_1.jpg")
        let data = plain.prefix(2) + segments[0] + segments[1] + plain.dropFirst(2)
        #expect(try JPEGCoder().metadata(of: data, limits: DecodeLimits()).iptc == record)
        for count in 0..<blocks.count + 60 {
            _ = failure { _ = try JPEGCoder().metadata(of: data.prefix(count), limits: DecodeLimits()) }
        }
    }

    @Test func orientationInExifIsAppliedAndHandedOn() throws {
        let read = try JPEGCoder().metadata(of: fixture("exif_6.jpg"), limits: DecodeLimits())
        let exif = try #require(read.exif)
        #expect(exif.starts(with: [0x4D, 0x4D]) || exif.starts(with: [0x49, 0x49]))
        #expect(throws: ImageError.self) { try JPEGCoder().metadata(of: Data([0xFF, 0xD8]), limits: DecodeLimits()) }
    }

    @Test("CC-10 no larger than asked")
    func CC_10_maxPixelSize() throws {
        var options = EncodeOptions()
        options.maxPixelSize = ImageSize(50, 50)
        let image = try picture(PixelSize(100, 60), alpha: .opaque) { _, _ in .fullRed }
        let data = try JPEGCoder().encode(image, to: .jpeg, options: options)
        #expect(try JPEGCoder().probe(data).size == PixelSize(50, 30))
    }
}
