import Dispatch
import Foundation
import Synchronization
import Testing
import WebImage

@Suite("The corpus") struct CorpusTests {
    /// Decodes every file of the corpus and compares; prints a table by format.
    @Test("every file of the corpus decodes as it should") func everyFile() throws {
        guard let corpus = Corpus() else {
            print("corpus: there is none at \(Corpus.place.path); left out. WEBIMAGE_CORPUS may say where it is.")
            #expect(ProcessInfo.processInfo.environment["CI"] != "true", "CI needs the corpus")
            return
        }
        let judgements = judged(corpus)
        #expect(judgements.count == corpus.rows.count)
        #expect(judgements.count > 400, "the corpus has lost files")
        CorpusTable(judgements).print()
        let unexplained = judgements.filter { $0.verdict == .failed && CorpusReasons.byPath[$0.path] == nil }
        #expect(unexplained.isEmpty, "\(unexplained.count) files fail without a reason: \(unexplained.map(\.path))")
        // A reason that is no longer needed hides the next fault of its file. Newer C libraries need fewer.
        let failed = Set(judgements.filter { $0.verdict == .failed }.map(\.path))
        for path in CorpusReasons.byPath.keys.sorted() where !failed.contains(path) {
            print("corpus: \(path) needs no reason any more; take it out of CorpusReasons")
        }
    }

    private func judged(_ corpus: Corpus) -> [CorpusJudgement] {
        let work = Work(corpus.rows)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            while let row = work.next() {
                // Says which file it was, should the process die of it.
                if ProcessInfo.processInfo.environment["WEBIMAGE_CORPUS_TRACE"] != nil { print("corpus: \(row.path)") }
                work.add(CorpusJudgement(row, of: corpus, with: corpusCoders))
            }
        }
        return work.judgements
    }

    /// The files left to do and those done.
    private final class Work: Sendable {
        private let state: Mutex<(rows: [CorpusRow], judgements: [CorpusJudgement])>

        init(_ rows: [CorpusRow]) {
            state = Mutex((rows.reversed(), []))
        }

        func next() -> CorpusRow? { state.withLock { $0.rows.popLast() } }
        func add(_ judgement: CorpusJudgement) { state.withLock { $0.judgements.append(judgement) } }
        var judgements: [CorpusJudgement] { state.withLock { $0.judgements }.sorted { $0.path < $1.path } }
    }
}

/// What the test prints.
struct CorpusTable {
    private let judgements: [CorpusJudgement]

    init(_ judgements: [CorpusJudgement]) {
        self.judgements = judgements
    }

    func print() {
        let lines = [header] + formats.map { line($0, judgements(of: $0)) } + [line("all", judgements)]
        Swift.print((lines + remarks + [slowest]).joined(separator: "\n"))
    }

    private var formats: [String] { Set(judgements.map(\.format)).sorted() }

    private func judgements(of format: String) -> [CorpusJudgement] { judgements.filter { $0.format == format } }

    private var header: String {
        "corpus: format   files   exact  within tolerance  refused  picture of a damaged file  explained  failed"
    }

    private func line(_ name: String, _ judgements: [CorpusJudgement]) -> String {
        func count(_ verdict: CorpusJudgement.Verdict) -> Int { judgements.count { $0.verdict == verdict } }
        let explained = judgements.count { $0.verdict == .failed && CorpusReasons.byPath[$0.path] != nil }
        let numbers = [
            (judgements.count, 6), (count(.exact), 8), (count(.near), 18), (count(.refused), 9), (count(.picture), 27),
            (explained, 11), (count(.failed) - explained, 8),
        ]
        let padded = numbers.map { number, width in
            String(repeating: " ", count: max(1, width - "\(number)".count)) + "\(number)"
        }
        return "corpus: \(name.padding(toLength: 8, withPad: " ", startingAt: 0))\(padded.joined())"
    }

    private var remarks: [String] {
        judgements.filter { $0.verdict == .failed }.map { judgement in
            guard let reason = CorpusReasons.byPath[judgement.path] else {
                return "corpus: FAILED \(judgement.path): \(judgement.remark)"
            }
            return "corpus: explained \(judgement.path): \(judgement.remark). \(reason)"
        }
    }

    private var slowest: String {
        let slow = judgements.sorted { $0.seconds > $1.seconds }.prefix(5)
        let seconds = judgements.map(\.seconds).reduce(0, +)
        return "corpus: \(Int(seconds)) s of work; slowest: "
            + slow.map { "\($0.path) \(Double(Int($0.seconds * 10)) / 10) s" }.joined(separator: ", ")
    }
}
