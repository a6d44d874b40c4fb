import Synchronization
import WebImageFoundation

/// What the tool says: results on standard output, all else on standard error, and below them, where a person looks
/// at a terminal, what is going on.
final class Console: Sendable {
    private enum Stream {
        case output
        case error
    }

    private struct State {
        var board: ProgressBoard?
        /// Rows of the terminal that the board takes now.
        var drawnRowCount = 0
        /// Lines to go above the board when it is drawn next: redrawing it for each of them would flicker.
        var pending: [(stream: Stream, line: String)] = []
        var isOutputBroken = false
    }

    private let state = Mutex(State())
    private let ticker: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Whether standard output could not be written to.
    var hasFailed: Bool { state.withLock { $0.isOutputBroken } }

    /// Whether progress can be shown.
    static var canShowProgress: Bool {
        OpenFile.standardError.isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A line of the result.
    func print(_ line: String) {
        put(line, on: .output)
    }

    /// Bytes of the result.
    func write(_ data: Data) {
        state.withLock { Self.write(data, on: .output, &$0) }
    }

    /// A line that is no result: an error, a remark.
    func report(_ line: String) {
        put(line, on: .error)
    }

    /// An error of one picture, in one line: `webimage: URL: stage: message`.
    func report(_ failure: Failure) {
        report(failure.line)
    }

    // MARK: Progress

    /// Shows from now on how far a number of loads have come, about ten times a second.
    func startProgress(of board: ProgressBoard) {
        state.withLock { $0.board = board }
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { self?.refresh() }
        }
        ticker.withLock { $0 = task }
    }

    /// Changes what is shown; seen with the next refresh. Does nothing while no progress is shown.
    func update(_ change: @Sendable (inout ProgressBoard) -> Void) {
        state.withLock { state in
            guard var board = state.board.take() else { return }
            change(&board)
            state.board = board
        }
    }

    /// Writes what is still to be written and leaves nothing of the progress on the terminal.
    func finish() {
        ticker.withLock { $0.take() }?.cancel()
        state.withLock { state in
            guard state.board != nil else { return }
            Self.draw([], &state)
            state.board = nil
        }
    }

    private func refresh() {
        state.withLock { state in
            guard let board = state.board else { return }
            let size = OpenFile.standardError.terminalSize ?? (columns: 80, rows: 24)
            Self.draw(board.lines(columns: size.columns, rows: size.rows), &state)
        }
    }

    // MARK: Writing, under the lock

    private func put(_ line: String, on stream: Stream) {
        state.withLock { state in
            let waits = state.board != nil && (stream == .error || OpenFile.standardOutput.isTerminal)
            waits ? state.pending.append((stream, line)) : Self.write(Data((line + "\n").utf8), on: stream, &state)
        }
    }

    private static func draw(_ rows: [String], _ state: inout State) {
        erase(&state)
        for (stream, line) in state.pending { write(Data((line + "\n").utf8), on: stream, &state) }
        state.pending.removeAll(keepingCapacity: true)
        guard !rows.isEmpty else { return }
        // Without wrapping at the margin, each row takes one row, however wide its characters are.
        let text = "\u{1B}[?7l" + rows.map { $0 + "\n" }.joined() + "\u{1B}[?7h"
        write(Data(text.utf8), on: .error, &state)
        state.drawnRowCount = rows.count
    }

    private static func erase(_ state: inout State) {
        guard state.drawnRowCount > 0 else { return }
        try? OpenFile.standardError.write("\u{1B}[\(state.drawnRowCount)A\r\u{1B}[J")
        state.drawnRowCount = 0
    }

    private static func write(_ data: Data, on stream: Stream, _ state: inout State) {
        guard stream == .output else {
            // There is nobody left to tell.
            try? OpenFile.standardError.write(data)
            return
        }
        guard !state.isOutputBroken else { return }
        do throws(SystemFault) {
            try OpenFile.standardOutput.write(data)
        } catch {
            noteBrokenOutput(error, &state)
        }
    }

    private static func noteBrokenOutput(_ fault: SystemFault, _ state: inout State) {
        // Who reads has seen enough, as `head` does: no error, but no more work either.
        if fault.number == SystemFault.brokenPipe {
            erase(&state)
            Signals.exitNow(Signals.brokenPipeStatus)
        }
        state.isOutputBroken = true
        write(Data("webimage: standard output: cannot be written: \(fault.reason)\n".utf8), on: .error, &state)
    }
}
