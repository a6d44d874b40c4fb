/// Keeps the application running until a download has ended; a view kit implements it with what its system has.
///
/// Without one, `LoadOptions.continueInBackground` does nothing: on Linux a program without a window runs on anyway.
public protocol BackgroundActivity: AnyObject, Sendable {
    /// Asks the system to let the application run on.
    ///
    /// - Parameters:
    ///   - reason: For the user, where the system shows it.
    ///   - onExpiry: To be called when the system will not wait any longer; the download is then cancelled.
    /// - Returns: What `end` is given; another number for each call.
    func begin(reason: String, onExpiry: @escaping @Sendable () -> Void) -> UInt64

    /// The download has ended. Called once for each `begin`.
    func end(_ activity: UInt64)
}
