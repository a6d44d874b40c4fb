import FoundationEssentials
import Glibc
import WebImageCore
import WebImageCurl

/// The downloader's measurements, one a run: `NetworkBench fetch|memory|slow|cancel …`.
@main
struct NetworkBench {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let mode = arguments.first else { fail("which measurement?") }
        switch mode {
        case "fetch":
            let ours = Ours(certificate: option("certificate", arguments))
            print("bytes \(try ours.byteCount(of: listed(arguments)))")
        case "memory": try Memory.run(listed(arguments))
        case "slow": SlowConsumer.run(try listed(arguments)[0])
        case "cancel": try Cancelling.run()
        default: fail("there is no measurement \(mode)")
        }
    }

    /// The URLs of the file that `--list` names.
    private static func listed(_ arguments: [String]) throws -> [URL] {
        guard let list = option("list", arguments) else { fail("--list is missing") }
        return try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap {
            URL(string: String($0))
        }
    }

    private static func option(_ name: String, _ arguments: [String]) -> String? {
        arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }

    /// A number with two digits behind the point at most.
    static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

    static func fail(_ reason: String) -> Never {
        let line = Array("NetworkBench: \(reason)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
