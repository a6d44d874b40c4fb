import Foundation
import WebImage

/// Works off requests, one a line, and answers each with one line: `WORK⇥FILE⇥WIDTH⇥HEIGHT⇥OUT`.
///
/// The answer is the milliseconds of processor time that the work took, the width and the height of its picture; or a word that begins
/// with `no`. `OUT` is where the picture goes as bare RGBA; `-` is nowhere. Bytes of files, and pictures to work on in
/// memory, are read before the clock starts.
///
/// `PixelsBench memory WORK FILE WIDTH HEIGHT COUNT` does a work so often and prints by how many bytes the peak of
/// memory rose above the start, after a fifth of them and in the end.
@main enum PixelsBench {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "memory" { return try MemoryRun(arguments.dropFirst()).run() }
        var inputs = Inputs()
        while let line = readLine() {
            answer(try Request(line.split(separator: "\t").map(String.init)).answer(&inputs))
        }
    }

    /// `print` keeps lines back where nobody sees them.
    static func answer(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

/// The processor's time: others may use the machine. Of a work on several threads the time on the wall.
enum Clock {
    static func milliseconds(of work: Work) -> Double {
        var time = timespec()
        clock_gettime(work.name == "batch" ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// One line.
struct Request {
    let work: Work
    let out: String

    struct BadLine: Error {}

    init(_ words: [String]) throws {
        guard words.count == 5, let width = Int(words[2]), let height = Int(words[3]) else { throw BadLine() }
        work = Work(name: words[0], file: words[1], width: width, height: height)
        out = words[4]
    }

    func answer(_ inputs: inout Inputs) throws -> String {
        guard try work.prepare(&inputs) else { return "no work \(work.name)" }
        let start = Clock.milliseconds(of: work)
        let pixels = try work.run(inputs)
        let milliseconds = Clock.milliseconds(of: work) - start
        if out != "-", let pixels {
            try pixels.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: out))
        }
        return "\(milliseconds) \(pixels?.width ?? 0) \(pixels?.height ?? 0)"
    }
}

/// What was read so far.
struct Inputs {
    var data: [String: Data] = [:]
    var pixels: [String: PixelBuffer] = [:]

    mutating func read(_ file: String) throws -> Data {
        if let known = data[file] { return known }
        let read = try Data(contentsOf: URL(fileURLWithPath: file))
        data[file] = read
        return read
    }

    mutating func decode(_ file: String) throws {
        if pixels[file] == nil { pixels[file] = try CodersManager.shared.decode(read(file)).pixels }
    }
}
