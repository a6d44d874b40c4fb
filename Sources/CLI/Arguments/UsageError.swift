/// A command line that says nothing we understand.
struct UsageError: Error {
    /// What is wrong, and where there is one, what was probably meant.
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var sentence: String { message + (message.hasSuffix("?") ? "" : ".") }

    /// For a word that is none of those known.
    init(unknown kind: String, _ word: String, known: [String]) {
        let suggestion = Self.closest(to: word, in: known).map { "; did you mean '\($0)'?" } ?? ""
        self.init("unknown \(kind) '\(word)'\(suggestion)")
    }

    /// The known word that a slip of the finger or two turns into the given one.
    private static func closest(to word: String, in known: [String]) -> String? {
        let distances = known.map { ($0, distance(Array($0), Array(word.prefix(64)))) }
        let best = distances.min { $0.1 < $1.1 }
        return best.flatMap { $0.1 <= max(1, $0.0.count / 3) ? $0.0 : nil }
    }

    /// How many characters must be put in, taken out or replaced.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (line, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in second.indices {
                let replaced = diagonal + (character == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
