/// Which of the server's answers a load takes that obeys the server: those that were asked for after it began, whoever
/// asked, and of earlier ones those that a cache could give it by now (RFC 9111, 4). A value.
///
/// So loads of one picture that begin together share one exchange where its answer may be used again, and two where it
/// may not: all who came too late for the first share the second.
struct AnswerRule: Sendable {
    private let plan: LoadPlan
    private let start = ContinuousClock.now
    private var triesLeft = 2

    /// - Parameters:
    ///   - plan: As its caller made it; one that does not obey the server takes any answer.
    ///   - takesAny: Whether an answer that is on its way is as good as another: for who asks in the background.
    init(_ plan: LoadPlan, takesAny: Bool = false) {
        self.plan = plan
        if takesAny || plan.validation != .whenStale { triesLeft = 0 }
    }

    /// The rule for the next answer, after one was not taken. In the end any is taken: a server may be asked by others
    /// without an end, too.
    var again: AnswerRule {
        var rule = self
        rule.triesLeft -= 1
        return rule
    }

    /// - Parameters:
    ///   - requestedAt: When the answer was asked for; `nil` where nobody knows.
    ///   - validators: What the server said; `nil` where none did.
    func takes(
        _ requestedAt: ContinuousClock.Instant?, _ validators: DiskMetadata.Validators?, at now: WallTime
    ) -> Bool {
        guard triesLeft > 0, let requestedAt, requestedAt < start, let validators else { return true }
        guard case .use = plan.verdict(validators, at: now) else { return false }
        return true
    }

    /// Whether an answer that was not taken can be asked about, rather than asked for anew.
    func mayAsk(about validators: DiskMetadata.Validators) -> Bool {
        validators.mayBeStored && !validators.conditions.fields.isEmpty && plan.sends(what: validators)
    }
}
