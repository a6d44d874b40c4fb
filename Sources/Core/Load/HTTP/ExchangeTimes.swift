/// When a request was sent, and when its answer was there.
struct ExchangeTimes: Sendable, Hashable {
    var sent: WallTime
    var received: WallTime
}
