import Foundation
import Testing
import WebImage

@Suite("The first bytes") struct FirstBytesTests {
    /// Feeds as many bytes as are asked for, from one on.
    private func fed(_ file: Data) throws -> (probe: ImageProbe, count: Int)? {
        var wanted = 1
        while true {
            let prefix = file.prefix(wanted)
            switch try corpusCoders.probe(prefix: prefix, isComplete: prefix.count == file.count) {
            case .found(let probe): return (probe, prefix.count)
            case .needsBytes(let count):
                try #require(count > prefix.count)
                wanted = count
            case .unknown: return nil
            }
        }
    }

    /// What the first bytes tell must be what all bytes tell, as far as it is final.
    private func check(_ file: Data, _ name: String) throws -> Int? {
        let whole = try? corpusCoders.probe(file)
        let found = try? fed(file)
        guard let whole, let found else {
            #expect(whole == nil && found == nil, "\(name): only one of whole and first bytes is read")
            return nil
        }
        #expect(found.probe.format == whole.format)
        if found.probe.isFinal {
            #expect(found.probe == whole, "\(name)")
        } else if whole.orientation == found.probe.orientation {
            #expect(found.probe.size == whole.size, "\(name)")
            #expect(found.probe.profileName == whole.profileName, "\(name)")
        }
        return found.count
    }

    @Test("they tell what all bytes do: the field cases") func fieldCases() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/cases")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".py") }
        #expect(names.count > 40)
        for name in names.sorted() {
            _ = try check(Data(contentsOf: folder.appendingPathComponent(name)), name)
        }
    }

    @Test("they tell what all bytes do: the corpus") func corpus() throws {
        guard let corpus = Corpus() else { return }
        var counts: [String: [Int]] = [:]
        for row in corpus.rows {
            let file = try corpus.data(of: row)
            if let count = try check(file, row.path), row.expectation == .ok, file.count > 8192 {
                counts[row.format, default: []].append(count)
            }
        }
        for (format, counts) in counts.sorted(by: { $0.key < $1.key }) {
            let sorted = counts.sorted()
            print(
                "first bytes: \(format), \(counts.count) files over 8 KB: half take \(sorted[counts.count / 2]) bytes "
                    + "or less, the most is \(sorted.last ?? 0)")
        }
    }
}
