import Testing

@testable import WebImageCore

@Suite("Durations counted in bounded memory")
struct DurationHistogramTests {
    @Test("Percentiles are at most a fifth too long and never too short")
    func percentiles() {
        var histogram = DurationHistogram()
        let values = (1...1000).map { Duration.microseconds($0 * $0) }
        for value in values { histogram.add(value) }
        for (share, index) in [(0.5, 499), (0.9, 899), (0.99, 989), (1.0, 999)] {
            let found = histogram.percentile(share).inSeconds
            let exact = values[index].inSeconds
            #expect(found >= exact && found <= exact * 1.26)
        }
        #expect(histogram.count == 1000 && histogram.longest == .seconds(1))
    }

    @Test("Nothing, negative and endless durations are counted somewhere")
    func extremes() {
        var histogram = DurationHistogram()
        #expect(histogram.percentile(0.5) == .zero)
        for duration in [Duration.zero, .seconds(-3), .nanoseconds(1), .seconds(Int64.max)] { histogram.add(duration) }
        #expect(histogram.count == 4 && histogram.percentile(0.5) <= .microseconds(2))
    }
}
