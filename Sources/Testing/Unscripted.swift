/// What a fake does when it is asked for something that the test did not script.
public struct Unscripted: Sendable {
    let report: @Sendable (String) -> Void

    /// Ends the process with a message that names what was asked.
    public static let endsTheProcess = Unscripted { fatalError($0) }

    /// Calls the closure with a message that names what was asked; the fake then answers with an error or a miss.
    public static func calls(_ report: @escaping @Sendable (String) -> Void) -> Unscripted {
        Unscripted(report: report)
    }
}
