import Foundation
import Testing
import WebImage

@Suite("The corpus's metadata") struct CorpusMetadataTests {
    @Test("blocks are read, and filtered ones tell no place") func everyFile() throws {
        guard let corpus = Corpus() else { return }
        var counts = (exif: 0, xmp: 0, iptc: 0, profile: 0, location: 0, rest: 0)
        for row in corpus.rows {
            guard let metadata = try? corpusCoders.metadata(of: corpus.data(of: row)) else { continue }
            if metadata.exifTags != nil { counts.exif += 1 }
            if metadata.xmpProperties != nil { counts.xmp += 1 }
            if metadata.iptcRecords != nil { counts.iptc += 1 }
            if metadata.colorProfileInfo != nil { counts.profile += 1 }
            if metadata.exifTags?.location != nil { counts.location += 1 }
            if let orientation = metadata.exifTags?.orientation, row.expectation == .ok,
                ["jpeg", "png", "webp"].contains(row.format)
            {
                #expect(orientation.rawValue == row.number("orientation"), "\(row.path)")
            }
            let kept = metadata.filtered(by: .allWithoutLocation)
            #expect(kept.exifTags?.tags(in: .gps).isEmpty ?? true, "\(row.path)")
            #expect(kept.exifTags?.orientation ?? .up == .up, "\(row.path)")
            if kept.exifTags?.make != nil || kept.exifTags?.software != nil { counts.rest += 1 }
            #expect(kept.exifTags?.make == metadata.exifTags?.make, "\(row.path)")
            #expect(kept.xmpProperties?.title == metadata.xmpProperties?.title, "\(row.path)")
        }
        print("corpus metadata: \(counts)")
    }
}
