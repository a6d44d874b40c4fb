import FoundationEssentials
import Glibc
import WebImageCore
import WebImageCurl

/// The downloader's measurements, one a run: `NetworkBench fetch|memory|slow|cancel|large …`.
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
        case "large": try LargeBody.run(isAnnounced: arguments.contains("--announced"))
        default: fail("there is no measurement \(mode)")
        }
    }

    /// The URLs of the file that `--list` names.
    private static func listed(_ arguments: [String]) throws -> [URL] {
        guard let list = option("list", arguments) else { fail("--list is missing") }
        // By bytes: to find the ends of lines in characters takes a tenth of all.
        return try String(contentsOfFile: list, encoding: .utf8).utf8.split(separator: UInt8(ascii: "\n")).compactMap {
            URL(string: String(Substring($0)))
        }
    }

    private static func option(_ name: String, _ arguments: [String]) -> String? {
        arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }

    /// A socket that listens on 127.0.0.1, and its port.
    static func listener() -> (socket: Int32, port: Int)? {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        return listens ? (listener, Int(UInt16(bigEndian: address.sin_port))) : nil
    }

    /// A number with two digits behind the point at most.
    static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

    static func fail(_ reason: String) -> Never {
        let line = Array("NetworkBench: \(reason)\n".utf8)
        write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
