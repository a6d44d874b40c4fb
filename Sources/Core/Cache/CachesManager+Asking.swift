import Synchronization

extension CachesManager {
    /// A question as one cache is asked it; the answer `nil` is that it does not know.
    typealias Question<Answer> =
        @Sendable (any ImageCaching, _ completion: @escaping @Sendable (Answer?) -> Void) -> Void
    /// What was found, and where.
    typealias Finding<Answer> = (answer: Answer, tier: CacheTier)

    /// Asks caches until one knows the answer: one after the other, or all at once.
    func firstAnswer<Answer: Sendable>(
        of tiers: [CacheTier], _ policy: CachesPolicy, _ question: @escaping Question<Answer>,
        completion: @escaping @Sendable (Finding<Answer>?) -> Void
    ) {
        if policy == .concurrent {
            race(tiers, question, completion)
        } else {
            walk(tiers[...], question, completion)
        }
    }

    /// Asks one cache; `nil` too when it is late.
    func ask<Answer: Sendable>(
        _ tier: CacheTier, _ question: Question<Answer>, completion: @escaping @Sendable (Answer?) -> Void
    ) {
        guard let timeout = tier.timeout else { return question(tier.cache, completion) }
        let pending = FirstOf(completion)
        let timer = Task.detached { [clock] in
            guard (try? await clock.sleep(for: timeout)) != nil else { return }
            if pending.answer(nil) { self.note(.cacheTimedOut(timeout), of: tier) }
        }
        question(tier.cache) { answer in
            timer.cancel()
            guard pending.isOpen else { return }
            self.note(nil, of: tier)
            pending.answer(answer)
        }
    }

    private func walk<Answer: Sendable>(
        _ tiers: ArraySlice<CacheTier>, _ question: @escaping Question<Answer>,
        _ completion: @escaping @Sendable (Finding<Answer>?) -> Void
    ) {
        guard let tier = tiers.first else { return completion(nil) }
        ask(tier, question) { answer in
            if let answer { return completion((answer, tier)) }
            self.walk(tiers.dropFirst(), question, completion)
        }
    }

    private func race<Answer: Sendable>(
        _ tiers: [CacheTier], _ question: @escaping Question<Answer>,
        _ completion: @escaping @Sendable (Finding<Answer>?) -> Void
    ) {
        let first = FirstOf(completion)
        let rest = Countdown(tiers.count) { first.answer(nil) }
        for tier in tiers {
            ask(tier, question) { answer in
                if let answer { first.answer((answer, tier)) }
                rest.countDown()
            }
        }
    }
}

/// Passes on the first of several answers.
final class FirstOf<Answer: Sendable>: Sendable {
    private let completion: Mutex<(@Sendable (Answer?) -> Void)?>

    init(_ completion: @escaping @Sendable (Answer?) -> Void) {
        self.completion = Mutex(completion)
    }

    var isOpen: Bool { completion.withLock { $0 != nil } }

    /// Whether this was the first.
    @discardableResult
    func answer(_ answer: Answer?) -> Bool {
        guard let completion = completion.withLock({ $0.take() }) else { return false }
        completion(answer)
        return true
    }
}

/// Does something once so many others are done; at once when there are none.
final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let end: @Sendable () -> Void

    init(_ count: Int, end: @escaping @Sendable () -> Void) {
        left = Mutex(count)
        self.end = end
        if count == 0 { end() }
    }

    func countDown() {
        let isDone = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isDone { end() }
    }
}

extension ImageError {
    fileprivate static func cacheTimedOut(_ timeout: Duration) -> ImageError {
        ImageError(
            .timedOut, .cache,
            "a cache did not answer within \(timeout) and counts as a miss; a longer CacheTier.timeout waits for it")
    }
}
