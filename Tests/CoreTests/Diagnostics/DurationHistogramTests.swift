import Testing

@testable import WebImageCore

@Suite("Durations counted in bounded memory")
struct DurationHistogramTests {
    @Test("Percentiles are at most a fifth too long and never too short")
    func percentiles() {
        var histogram = DurationHistogram()
        let values = (1...1000).map { Duration.microseconds($0 * $0) }
        for number in 1...1000 { histogram.add(nanoseconds: Int64(number * number * 1000)) }
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
        for number in [0, -3_000_000_000, 1, Int64.max, .max] { histogram.add(nanoseconds: number) }
        #expect(histogram.count == 5 && histogram.percentile(0.5) <= .microseconds(2))
        #expect(histogram.total == .nanoseconds(Int64.max) && histogram.longest == histogram.total)
    }
}
