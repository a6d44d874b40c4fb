import FoundationEssentials

/// What the process holds in memory, from the kernel.
enum Resident {
    /// Now, in bytes.
    static var now: Int { value(of: "VmRSS:") }
    /// The most so far, in bytes.
    static var peak: Int { value(of: "VmHWM:") }

    private static func value(of name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}

/// 20,000 requests: what they leave behind.
enum Memory {
    static func run(_ urls: [URL]) throws {
        let ours = Ours()
        let rounds = (20_000 + urls.count - 1) / urls.count
        var after2000 = 0
        for round in 1...rounds {
            _ = try ours.byteCount(of: urls)
            if round * urls.count >= 2000, after2000 == 0 { after2000 = Resident.now }
        }
        print("growth \(NetworkBench.text(Double(Resident.now - after2000) / 1e6))")
    }
}
