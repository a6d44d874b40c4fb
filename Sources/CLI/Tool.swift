import Dispatch
import WebImage
import WebImageAllFormats

/// The command-line tool `webimage`.
@main
enum Tool {
    static let version = "0.1.0"

    @MainActor
    static func main() async {
        Signals.ignoreBrokenPipes()
        CodersManager.shared.addAllFormats()
        let console = Console()
        let status = await runInterruptibly(CommandLine.arguments.dropFirst(), console)
        console.finish()
        Signals.exitNow(status)
    }

    /// Ctrl-C cancels what is under way, which then ends in order; a second one ends the process at once.
    @MainActor
    private static func runInterruptibly(_ words: ArraySlice<String>, _ console: Console) async -> Int32 {
        let work = Task { await run(words, console) }
        let interruption = Interruption()
        let watch = Signals.watchEnding { number in
            if interruption.note(number) { return work.cancel() }
            console.finish()
            Signals.exitNow(Signals.exitStatus(number))
        }
        let status = await work.value
        return withExtendedLifetime(watch) { interruption.number.map(Signals.exitStatus) ?? status.rawValue }
    }

    @MainActor
    private static func run(_ words: ArraySlice<String>, _ console: Console) async -> ExitStatus {
        guard let first = words.first else {
            console.report("webimage: no command given; 'webimage --help' lists them")
            return .usage
        }
        if let command = Command.all.first(where: { $0.name == first }) {
            return await run(command, words.dropFirst(), console)
        }
        do throws(UsageError) {
            return try runWithoutCommand(words, console)
        } catch {
            console.report("webimage: \(error.sentence) See 'webimage --help'")
            return .usage
        }
    }

    private static func runWithoutCommand(
        _ words: ArraySlice<String>, _ console: Console
    ) throws(UsageError) -> ExitStatus {
        let arguments = try ParsedArguments(words.prefix(1), options: [.help, .version])
        if let word = arguments.operands.first {
            throw UsageError(unknown: "command", word, known: Command.all.map(\.name))
        }
        console.print(arguments.has(.version) ? "webimage \(version)" : HelpText.tool)
        return .success
    }

    @MainActor
    private static func run(
        _ command: Command, _ words: ArraySlice<String>, _ console: Console
    ) async -> ExitStatus {
        do throws(UsageError) {
            let arguments = try ParsedArguments(words, options: command.allOptions)
            if arguments.has(.help) {
                console.print(HelpText.of(command))
                return .success
            }
            let status = try await command.run(arguments, console)
            return console.hasFailed ? .failure : status
        } catch {
            console.report("webimage \(command.name): \(error.sentence) See 'webimage \(command.name) --help'")
            return .usage
        }
    }
}
