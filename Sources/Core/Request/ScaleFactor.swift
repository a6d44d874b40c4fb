/// Pixels per point, as a name tells it.
enum ScaleFactor {
    /// 2 or 3 where the key holds `@2x.` or `@3x.` (in a web address also `%402x.`), else 1.
    static func of(key: String) -> Double {
        guard key.utf8.count >= 8 else { return 1 }
        let isWebAddress = key.hasPrefix("http://") || key.hasPrefix("https://")
        for scale in [2, 3] where key.contains("@\(scale)x.") || (isWebAddress && key.contains("%40\(scale)x.")) {
            return Double(scale)
        }
        return 1
    }
}
