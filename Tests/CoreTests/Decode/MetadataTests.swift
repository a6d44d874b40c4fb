import Foundation
import Testing
import WebImageCore

@Suite struct MetadataTests {
    private func record(_ record: UInt8, _ dataSet: UInt8, _ text: String) -> [UInt8] {
        [0x1C, record, dataSet, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private var iptc: Data {
        Data(
            record(1, 90, "\u{1B}%G") + record(2, 120, "Ein Haus in Köln") + record(2, 25, "house")
                + record(2, 25, "Haus")
                + record(2, 90, "Köln") + record(2, 101, "Germany") + record(2, 116, "me"))
    }

    @Test func iptcValues() throws {
        let records = try #require(IPTCRecords(iptc))
        #expect(records.caption == "Ein Haus in Köln")
        #expect(records.keywords == ["house", "Haus"])
        #expect(records.city == "Köln")
        #expect(records.headline == nil)
        let latin = try #require(IPTCRecords(Data([0x1C, 2, 120, 0, 2, 0x4B, 0xF6])))
        #expect(latin.caption == "Kö")
        let long = try #require(IPTCRecords(Data([0x1C, 2, 120, 0x80, 4, 0, 0, 0, 2, 0x41, 0x42])))
        #expect(long.caption == "AB")
    }

    @Test func iptcDamage() {
        for count in 0..<iptc.count {
            #expect(IPTCRecords(iptc.prefix(count))?.records.count ?? 0 < 7)
        }
        #expect(IPTCRecords(Data([0x1C, 2, 120, 0xFF, 0xFF, 1])) == nil)
        #expect(IPTCRecords(Data([0x1C, 2, 120, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF])) == nil)
    }

    @Test func policies() throws {
        var metadata = ImageMetadata()
        metadata.exif = EXIFBlock.camera(.littleEndian)
        metadata.xmp = Data(XMPTests.packet.utf8)
        metadata.iptc = iptc
        metadata.colorProfile = Data("profile".utf8)
        #expect(metadata.filtered(by: .strip, colorConversion: .none).isEmpty)
        // The pixels are sRGB now: the old profile would lie.
        #expect(metadata.filtered().isEmpty)
        let profileOnly = metadata.filtered(colorConversion: .none)
        #expect(profileOnly.colorProfile == metadata.colorProfile)
        #expect(profileOnly.exif == nil)
        let all = metadata.filtered(by: .all, colorConversion: .none)
        #expect(all.iptc == iptc)
        #expect(all.exifTags?.location != nil)
        #expect(all.exifTags?[.exif, 0xA001] == .integers([65535]))
        let private_ = metadata.filtered(by: .allWithoutLocation)
        #expect(private_.colorProfile == nil)
        #expect(private_.exifTags?.location == nil)
        let records = try #require(private_.iptcRecords)
        #expect(records.caption == "Ein Haus in Köln")
        #expect(records.copyright == "me")
        #expect(records.city == nil)
        #expect(records.country == nil)
        metadata.iptc = Data(record(2, 90, "Köln"))
        #expect(metadata.filtered(by: .allWithoutLocation).iptc == nil)
    }

    @Test func profileInfo() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var metadata = ImageMetadata()
        metadata.colorProfile = try Data(contentsOf: tests.appendingPathComponent("Fixtures/cases/swapped_rg.icc"))
        let info = try #require(metadata.colorProfileInfo)
        #expect(info.name == "sRGB built-in")
        #expect(info.colorSpace == "RGB")
        #expect(info.deviceClass == "mntr")
        #expect(info.version.hasPrefix("4."))
        #expect(ColorProfileInfo(Data("short".utf8)) == nil)
    }
}
