/// Amounts as people read them.
enum Quantity {
    /// `512 B`, `20.5 kB`, `18.4 MB`: powers of 1,000, as disks and networks are measured.
    static func bytes(_ count: Int) -> String {
        var amount = Double(count)
        var unit = "B"
        for larger in ["kB", "MB", "GB", "TB"] where amount >= 999.95 {
            amount /= 1000
            unit = larger
        }
        return unit == "B" ? "\(count) B" : "\(fixed(amount, digits: 1)) \(unit)"
    }

    /// `12 ms`, `1.31 s`, `2 min 05 s`.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.seconds)
        if seconds < 0.9995 { return "\(Int((seconds * 1000).rounded())) ms" }
        if seconds < 59.995 { return "\(fixed(seconds, digits: 2)) s" }
        let whole = Int(seconds.rounded())
        let rest = whole % 60
        return "\(whole / 60) min \(rest < 10 ? "0" : "")\(rest) s"
    }

    /// `1 picture`, `24 pictures`.
    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    static func fixed(_ number: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { product, _ in product * 10 }
        let scaled = Int((number * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// Rounded to whole microseconds.
    var milliseconds: Double { (seconds * 1_000_000).rounded() / 1000 }
}
