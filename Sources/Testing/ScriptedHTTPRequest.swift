public import WebImageCore
public import WebImageFoundation

/// A request as it came over the wire.
public struct ScriptedHTTPRequest: Sendable, Hashable {
    /// As spelled.
    public var method: String
    /// The request target as spelled, query included.
    public var target: String
    /// In the order in which they came.
    public var headers: HTTPHeaders
    /// As long as `Content-Length` says; empty without that.
    public var body: Data
    /// 1 for the first request to this script entry.
    public var hitNumber: Int
    /// 1 for the server's first connection.
    public var connectionNumber: Int

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }
}

/// Cuts requests out of the bytes of one connection.
struct ScriptedHTTPRequestReader {
    private var buffer: [UInt8] = []

    /// The next request, `hitNumber` still 0; `nil` at the end of the connection or when it is no HTTP.
    mutating func next(from socket: LoopbackSocket, connectionNumber: Int) -> ScriptedHTTPRequest? {
        var headEnd = endOfHead()
        while headEnd == nil {
            guard fill(from: socket) else { return nil }
            headEnd = endOfHead()
        }
        guard let headEnd, var request = Self.parse(buffer[..<headEnd], connectionNumber) else { return nil }
        buffer.removeFirst(headEnd + 4)
        let byteCount = max(request.headers["Content-Length"].flatMap { Int($0) } ?? 0, 0)
        while buffer.count < byteCount {
            guard fill(from: socket) else { return nil }
        }
        request.body = Data(buffer.prefix(byteCount))
        buffer.removeFirst(byteCount)
        return request
    }

    private mutating func fill(from socket: LoopbackSocket) -> Bool {
        let bytes = socket.receive()
        buffer += bytes
        return !bytes.isEmpty
    }

    /// Where the empty line begins.
    private func endOfHead() -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { buffer[$0..<($0 + 4)].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }
    }

    private static func parse(_ head: ArraySlice<UInt8>, _ connectionNumber: Int) -> ScriptedHTTPRequest? {
        let lines = head.split(separator: 0x0A).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...]
            headers.append(name: String(line[..<colon]), value: String(value.drop { $0 == " " }))
        }
        return ScriptedHTTPRequest(
            method: String(words[0]), target: String(words[1]), headers: headers, body: Data(), hitNumber: 0,
            connectionNumber: connectionNumber)
    }
}
