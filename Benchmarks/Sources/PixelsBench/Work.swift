import Dispatch
import Foundation
import Synchronization
import WebImage

/// One thing that is measured.
struct Work {
    let name: String
    let file: String
    let width: Int
    let height: Int

    /// Reads what the work is done on; `false` for a name that is not known.
    func prepare(_ inputs: inout Inputs) throws -> Bool {
        switch name {
        case "thumbnail", "fast", "decode", "frames": _ = try inputs.read(file)
        case "resize", "blur", "rotate": try inputs.decode(file)
        case "batch": for file in files { _ = try inputs.read(file) }
        default: return false
        }
        return true
    }

    func run(_ inputs: Inputs) throws -> PixelBuffer? {
        let data = inputs.data[file] ?? Data()
        switch name {
        case "thumbnail", "fast": return try thumbnail(data)
        case "decode": return try CodersManager.shared.decode(data).pixels
        case "frames": return try lastFrame(data)
        case "resize": return inputs.pixels[file]?.resized(to: PixelSize(width, height))
        case "blur": return inputs.pixels[file]?.blurred(radius: Double(width))
        case "rotate": return inputs.pixels[file]?.rotated(by: Double(width) / 180 * .pi)
        case "batch": return try batch(files.map { inputs.data[$0] ?? Data() })
        default: return nil
        }
    }

    private func thumbnail(_ data: Data) throws -> PixelBuffer {
        var options = DecodeOptions(thumbnailPixelSize: ImageSize(Double(width), Double(height)))
        if name == "fast" { options.thumbnailQuality = .fast }
        return try CodersManager.shared.decode(data, options: options).pixels
    }

    private func lastFrame(_ data: Data) throws -> PixelBuffer? {
        let frames = try CodersManager.shared.frames(of: data, options: DecodeOptions())
        var last: PixelBuffer?
        for index in 0..<frames.frameCount { last = try frames.frame(at: index).pixels }
        return last
    }

    /// The files of a batch: names with commas between.
    private var files: [String] { file.split(separator: ",").map(String.init) }

    /// Thumbnails of all, on as many threads as `width` says.
    private func batch(_ pictures: [Data]) throws -> PixelBuffer? {
        let next = Atomic(0)
        let failures = Atomic(0)
        let box = ImageSize(Double(height), Double(height))
        DispatchQueue.concurrentPerform(iterations: width) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < pictures.count else { return }
                let options = DecodeOptions(thumbnailPixelSize: box)
                if (try? CodersManager.shared.decode(pictures[index], options: options)) == nil {
                    failures.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        guard failures.load(ordering: .relaxed) == 0 else { throw Request.BadLine() }
        return nil
    }
}

/// The same work many times over, in a process of its own.
struct MemoryRun {
    private let work: Work
    private let count: Int

    init(_ words: ArraySlice<String>) throws {
        let words = Array(words)
        guard words.count == 5, let width = Int(words[2]), let height = Int(words[3]), let count = Int(words[4]) else {
            throw Request.BadLine()
        }
        work = Work(name: words[0], file: words[1], width: width, height: height)
        self.count = count
    }

    func run() throws {
        var inputs = Inputs()
        _ = try work.prepare(&inputs)
        let start = Self.bytes("VmRSS:")
        var early = 0
        for index in 0..<count {
            _ = try work.run(inputs)
            if index == count / 5 { early = Self.bytes("VmHWM:") - start }
        }
        PixelsBench.answer("\(early) \(Self.bytes("VmHWM:") - start)")
    }

    private static func bytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0.isWhitespace }).dropFirst().first.flatMap { Int($0) } ?? 0
        return kilobytes * 1024
    }
}
