import Foundation
import Testing
import WebImageCore
import WebImagePixels

@Suite struct EXIFTests {
    private func filtered(_ block: Data, _ policy: MetadataPolicy) -> Data? {
        var metadata = ImageMetadata()
        metadata.exif = block
        return metadata.filtered(by: policy).exif
    }

    @Test(arguments: EXIFBlock.Order.allCases)
    func values(_ order: EXIFBlock.Order) throws {
        let tags = try #require(EXIFTags(EXIFBlock.camera(order)))
        #expect(tags.orientation == .right)
        #expect(tags.make == "Maker Inc.")
        #expect(tags.model == "M1")
        #expect(tags.dateTimeOriginal == "2026:11:30 09:52:53")
        #expect(tags.exposureTime == 0.004)
        #expect(tags.pixelSize == PixelSize(4000, 3000))
        #expect(tags.fNumber == nil)
        let location = try #require(tags.location)
        #expect(abs(location.latitude + 48.51) < 1e-9)
        #expect(location.longitude == 11)
        #expect(location.altitude == -2.5)
        #expect(tags[.exif, 0x927C] == .bytes(Data(EXIFBlock.note)))
        #expect(tags[.thumbnail, 0x0202] == .integers([6]))
        #expect(tags[.gps, 0x0099] == nil)
        #expect(tags.tags(in: .image) == [0x010F, 0x0110, 0x0112, 0x8769, 0x8825, 0x9999])
        #expect(EXIFTags(Data("Exif\0\0".utf8) + EXIFBlock.camera(order))?.make == "Maker Inc.")
    }

    @Test func everyType() throws {
        var block = EXIFBlock(.bigEndian)
        block.append([
            .init(tag: 1, type: 6, count: 2, value: [1, 255]),
            .init(tag: 2, type: 8, count: 2, value: [255, 254, 0, 2]),
            .init(tag: 3, type: 9, count: 1, value: [255, 255, 255, 255]),
            .init(tag: 4, type: 10, count: 1, value: [255, 255, 255, 255, 0, 0, 0, 2]),
            .init(tag: 5, type: 11, count: 1, value: [0x3F, 0xC0, 0, 0]),
            .init(tag: 6, type: 12, count: 1, value: [0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            .init(tag: 7, type: 99, count: 1, value: [1]),
            .init(tag: 8, type: 5, count: 1, value: [0, 0, 0, 1, 0, 0, 0, 0]),
        ])
        let tags = try #require(EXIFTags(block.data))
        #expect(tags[.image, 1] == .bytes(Data([1, 255])))
        #expect(tags[.image, 2] == .integers([-2, 2]))
        #expect(tags[.image, 3] == .integers([-1]))
        #expect(tags[.image, 4] == .fractions([.init(numerator: -1, denominator: 2)]))
        #expect(tags[.image, 5] == .reals([1.5]))
        #expect(tags[.image, 6] == .reals([1.5]))
        #expect(tags[.image, 7] == nil)
        guard case .fractions(let fractions) = tags[.image, 8] else { throw ImageError(.badImageData, .decode, "") }
        #expect(fractions.first?.value == nil)
    }

    @Test(arguments: EXIFBlock.Order.allCases)
    func withoutLocation(_ order: EXIFBlock.Order) throws {
        let block = EXIFBlock.camera(order)
        let kept = try #require(filtered(block, .allWithoutLocation))
        let tags = try #require(EXIFTags(kept))
        #expect(tags.location == nil)
        #expect(tags.tags(in: .gps).isEmpty)
        #expect(tags.tags(in: .thumbnail).isEmpty)
        #expect(tags.orientation == .up)
        #expect(tags.make == "Maker Inc.")
        #expect(tags[.image, 0x9999] == .text("last of the first"))
        #expect(tags.dateTimeOriginal == "2026:11:30 09:52:53")
        #expect(tags[.exif, 0xA001] == .integers([1]))
        // Nothing moved, and nothing of the place or of the small picture is left.
        #expect(kept.count == block.count)
        let note = Data(EXIFBlock.note)
        #expect(kept.range(of: note) == block.range(of: note))
        #expect(block.range(of: Data(EXIFBlock.thumbnail)) != nil)
        #expect(kept.range(of: Data(EXIFBlock.thumbnail)) == nil)
        let place = EXIFBlock(order).number(3600, 4) + EXIFBlock(order).number(100, 4)
        #expect(block.range(of: Data(place)) != nil)
        #expect(kept.range(of: Data(place)) == nil)
    }

    @Test(arguments: EXIFBlock.Order.allCases)
    func everything(_ order: EXIFBlock.Order) throws {
        let kept = try #require(filtered(Data("Exif\0\0".utf8) + EXIFBlock.camera(order), .all))
        let tags = try #require(EXIFTags(kept))
        #expect(tags.location != nil)
        #expect(tags.orientation == .up)
        #expect(tags.tags(in: .thumbnail).isEmpty)
        #expect(kept.starts(with: EXIFBlock.camera(order).prefix(8)))
    }

    @Test func locationInPacketsInsideTheBlock() throws {
        var block = EXIFBlock(.littleEndian)
        block.append([
            .init(tag: 0x02BC, type: 1, count: 6, value: Array("secret".utf8)), block.text(0x010F, "Maker"),
            .init(tag: 0x83BB, type: 7, count: 6, value: Array("secret".utf8)),
        ])
        let kept = try #require(filtered(block.data, .allWithoutLocation))
        #expect(kept.range(of: Data("secret".utf8)) == nil)
        #expect(EXIFTags(kept)?.tags(in: .image) == [0x010F])
        #expect(EXIFTags(kept)?.make == "Maker")
        #expect(try #require(filtered(block.data, .all)) == block.data)
    }

    @Test func damagedBlocks() {
        for order in EXIFBlock.Order.allCases {
            let block = EXIFBlock.camera(order)
            for count in 0..<block.count { exercise(block.prefix(count)) }
            for place in 0..<block.count {
                for bits in [0xFF, 0x01, 0x80] as [UInt8] {
                    var broken = block
                    broken[place] ^= bits
                    exercise(broken)
                }
            }
        }
        #expect(EXIFTags(Data()) == nil)
        #expect(EXIFTags(Data("MM\0*".utf8)) == nil)
    }

    @Test func loopsOfDirectories() throws {
        var block = EXIFBlock(.littleEndian)
        // Every pointer leads back to the first directory.
        block.append([block.long(0x8769, 8), block.long(0x8825, 8)], next: 8)
        let tags = try #require(EXIFTags(block.data))
        #expect(tags.tags(in: .gps) == [0x8769, 0x8825])
        exercise(block.data)
    }

    @Test func thousandsOfPointers() throws {
        // Each leads to a directory of as many entries: work that must not multiply.
        var block = EXIFBlock(.littleEndian)
        let pointers = (0..<20_000).map { _ in block.long(0x8825, 8) }
        block.append(pointers)
        let kept = try #require(filtered(block.data, .all))
        #expect(EXIFTags(kept)?.tags(in: .image).count == 20_000)
        #expect(EXIFTags(filtered(block.data, .allWithoutLocation) ?? Data())?.tags(in: .image).isEmpty ?? true)
    }

    /// Reads all there is and filters: whatever comes out, nothing traps, and no location is left.
    private func exercise(_ block: Data) {
        if let tags = EXIFTags(block) {
            for directory in EXIFTags.Directory.allCases {
                for tag in tags.tags(in: directory) { #expect(tags[directory, tag] != nil) }
            }
            _ = (tags.location, tags.pixelSize, tags.orientation)
        }
        if let kept = filtered(block, .allWithoutLocation) {
            #expect(EXIFTags(kept)?.location == nil)
            #expect(EXIFTags(kept)?.tags(in: .gps).isEmpty ?? true)
        }
        _ = filtered(block, .all)
    }
}
