import Foundation

/// One file of the corpus with what independent decoders make of it; the columns are explained in the corpus's README.
struct CorpusRow: Sendable {
    /// What is to become of a file.
    enum Expectation: String, Sendable {
        case ok
        case partial
        case error
    }

    let path: String
    let format: String
    let expectation: Expectation
    private let columns: [String: String]

    /// `nil` for a line that is no row of the manifest.
    init?(_ columns: [String: String]) {
        guard let path = columns["path"], let format = columns["format"],
            let expectation = columns["expect"].flatMap(Expectation.init)
        else { return nil }
        (self.path, self.format, self.expectation) = (path, format, expectation)
        self.columns = columns
    }

    /// The text of a column; `nil` for an empty one.
    subscript(_ name: String) -> String? {
        columns[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

    var frameCount: Int { number("frames") ?? 1 }
    var tolerance: Int { number("tolerance") ?? 0 }
    var durations: [Double] { self["durations_ms"]?.split(separator: ",").compactMap { Double($0) } ?? [] }
}

/// The corpus: a folder beside the checkout, or where `WEBIMAGE_CORPUS` says.
struct Corpus: Sendable {
    let folder: URL
    let rows: [CorpusRow]

    /// Where it is looked for.
    static var place: URL {
        if let path = ProcessInfo.processInfo.environment["WEBIMAGE_CORPUS"] { return URL(fileURLWithPath: path) }
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("shared/corpus")
    }

    /// `nil` where there is none.
    init?(at place: URL = Corpus.place) {
        folder = place.appendingPathComponent("open")
        guard let text = try? String(contentsOf: folder.appendingPathComponent("manifest.tsv"), encoding: .utf8) else {
            return nil
        }
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        guard let names = lines.first?.map(String.init) else { return nil }
        rows = lines.dropFirst().compactMap { line in
            CorpusRow(Dictionary(zip(names, line.map(String.init)), uniquingKeysWith: { first, _ in first }))
        }
    }

    func data(of row: CorpusRow) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(row.path))
    }
}
