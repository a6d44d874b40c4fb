import WebImage
import WebImageFoundation

/// What the arguments of `fetch` name, lists unfolded.
struct SourceList {
    private(set) var sources: [PictureSource] = []
    /// Lists that could not be read.
    private(set) var failures: [Failure] = []

    /// A list may have so many bytes; a hundred thousand long URLs fit many times.
    private static let maxByteCount = 1 << 28

    init(_ arguments: [String]) {
        for argument in arguments {
            switch Self.kind(of: argument) {
            case .picture: sources.append(PictureSource(argument))
            case .list:
                add(argument) { () throws(SystemFault) in
                    try FileSystem.contents(of: argument, atMost: Self.maxByteCount + 1)
                }
            case .standardInput:
                add("standard input") { () throws(SystemFault) in
                    try OpenFile.standardInput.read(atMost: Self.maxByteCount + 1)
                }
            }
        }
    }

    private mutating func add(_ name: String, _ read: () throws(SystemFault) -> Data) {
        do throws(SystemFault) {
            let data = try read()
            guard data.count <= Self.maxByteCount else {
                return fail(name, .limitExceeded, "the list is over \(Self.maxByteCount) bytes; split it")
            }
            sources += Self.entries(data).map { PictureSource($0) }
        } catch {
            if Task.isCancelled { return }
            fail(name, .fileNotReadable, "the list cannot be read: \(error.reason)")
        }
    }

    private mutating func fail(_ name: String, _ code: ImageError.Code, _ message: String) {
        failures.append(Failure(ImageError(code, .request, message), of: name))
    }

    /// One URL or path a line; blank lines and lines that begin with `#` are left out.
    static func entries(_ data: Data) -> [String] {
        data.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { bytes in
            var line = String(decoding: bytes, as: UTF8.self)[...]
            if line.hasPrefix("\u{FEFF}") { line.removeFirst() }
            while line.first?.isWhitespace == true { line.removeFirst() }
            while line.last?.isWhitespace == true { line.removeLast() }
            return line.isEmpty || line.hasPrefix("#") ? nil : String(line)
        }
    }

    private enum Kind {
        case picture
        case list
        case standardInput
    }

    private static func kind(of argument: String) -> Kind {
        if argument == "-" { return .standardInput }
        guard !PictureSource.isURL(argument), let kind = FileSystem.kind(of: argument), kind != .folder else {
            return .picture
        }
        // A pipe, as of a shell's `<(…)`, can be read only once; pictures are not read from there.
        if kind == .other { return .list }
        guard let head = try? FileSystem.contents(of: argument, atMost: 1024), !head.isEmpty else { return .picture }
        return isList(head, name: argument) ? .list : .picture
    }

    /// Whether a file is text, and neither called a picture nor marked up as SVG and web pages are.
    private static func isList(_ head: Data, name: String) -> Bool {
        let fileName = name.split(separator: "/").last ?? ""
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        guard FormatSniffer.format(of: head) == nil, ImageFormat(fileExtension: String(ending)) == nil else {
            return false
        }
        let isText = !head.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
        return isText && head.first { $0 > 0x20 } != UInt8(ascii: "<")
    }
}
