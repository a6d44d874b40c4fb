/// One of the tool's commands, as data: what it is called, what it takes, what it does.
struct Command: Sendable {
    struct Example: Sendable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    let name: String
    /// One line, for the list of commands.
    let summary: String
    /// What follows the options, as in the line of usage.
    let operands: String
    let paragraphs: [String]
    let options: [OptionDeclaration]
    let examples: [Example]
    let run: @Sendable (ParsedArguments, Console) async throws(UsageError) -> ExitStatus

    static let all: [Command] = [.fetch, .info, .convert, .cache]

    /// Those of the command and those of every command.
    var allOptions: [OptionDeclaration] { options + [.help] }
}

/// How the process ends.
enum ExitStatus: Int32, Sendable {
    /// All went well.
    case success = 0
    /// Something did not; it was told on standard error.
    case failure = 1
    /// The command line was not understood; nothing was done.
    case usage = 2

    /// A success where nothing failed.
    init(failureCount: Int) {
        self = failureCount == 0 ? .success : .failure
    }
}
