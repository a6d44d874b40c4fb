public import WebImageCore
public import WebImageFoundation

/// One answer of a `ScriptedHTTPServer`: a proper one unless told to misbehave.
///
/// Start from `picture`, `body`, `status`, `redirect` or `raw`, then change what should be wrong:
/// `.picture().cut(after: 6_000)`, `.body(data).chunked().held(by: gate, after: 10)`.
public struct ScriptedAnswer: Sendable {
    /// Any number; below 200, 204 and 304 go without a body.
    public var statusCode: Int
    /// Without `Content-Length` and `Transfer-Encoding`, which `framing` adds unless they are here.
    public var headers: HTTPHeaders
    /// The bytes that go out, already encoded where `Content-Encoding` says so.
    public var body: Data
    /// How the client is told where the body ends.
    public var framing: Framing
    /// Whether the answer goes out whole.
    public var ending: Ending
    /// Opened before the head goes out.
    public var headGate: Gate?
    /// Gates in the body: after so many bytes behind the head.
    public var bodyGates: [BodyGate]
    /// When there: exactly these bytes, then the connection is closed; all else is ignored.
    public var rawBytes: Data?

    /// How the end of the body is told.
    public enum Framing: Sendable, Hashable {
        /// By `Content-Length`.
        case contentLength
        /// By chunks of at most so many bytes.
        case chunked(Int)
        /// By closing the connection.
        case untilClose
    }

    /// How an answer ends.
    public enum Ending: Sendable, Hashable {
        /// As announced; the connection stays open where it may.
        case whole
        /// The connection is closed after so many bytes behind the head.
        case closed(after: Int)
        /// The connection is reset after so many bytes behind the head.
        case reset(after: Int)
    }

    /// A gate in the body.
    public struct BodyGate: Sendable {
        /// How many bytes behind the head go out before it.
        public var byteCount: Int
        /// What holds the rest.
        public var gate: Gate
    }

    /// A proper answer without gates.
    public init(
        statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data(),
        framing: Framing = .contentLength
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
        self.framing = framing
        self.ending = .whole
        self.bodyGates = []
    }
}

extension ScriptedAnswer {
    /// 200 with a picture, `TestPictures.red` unless told otherwise.
    public static func picture(_ data: Data = TestPictures.red, type: String = "image/png") -> ScriptedAnswer {
        body(data, type: type)
    }

    /// 200 with a body.
    public static func body(_ data: Data, type: String = "application/octet-stream") -> ScriptedAnswer {
        ScriptedAnswer(headers: ["Content-Type": type], body: data)
    }

    /// A status without a body.
    public static func status(_ code: Int, headers: HTTPHeaders = HTTPHeaders()) -> ScriptedAnswer {
        ScriptedAnswer(statusCode: code, headers: headers)
    }

    /// A redirect to another URL, absolute or relative.
    public static func redirect(to location: String, status: Int = 302) -> ScriptedAnswer {
        .status(status, headers: ["Location": location])
    }

    /// 200 with a body compressed by gzip (stored, so that its length is known).
    public static func gzip(_ data: Data, type: String = "application/octet-stream") -> ScriptedAnswer {
        ScriptedAnswer(
            headers: ["Content-Type": type, "Content-Encoding": "gzip"], body: Data(StoredDeflate.gzip(Array(data))))
    }

    /// Exactly these bytes, then the connection is closed.
    public static func raw(_ bytes: Data) -> ScriptedAnswer {
        var answer = ScriptedAnswer()
        answer.rawBytes = bytes
        return answer
    }

    /// In chunks of at most so many bytes; in one chunk unless told otherwise.
    public func chunked(_ byteCount: Int = .max) -> ScriptedAnswer {
        changed { $0.framing = .chunked(max(byteCount, 1)) }
    }

    /// Without a length: the connection's end is the body's.
    public func untilClose() -> ScriptedAnswer {
        changed { $0.framing = .untilClose }
    }

    /// Closes the connection after so many bytes behind the head, whatever was announced.
    public func cut(after byteCount: Int) -> ScriptedAnswer {
        changed { $0.ending = .closed(after: byteCount) }
    }

    /// Resets the connection (RST) after so many bytes behind the head.
    public func reset(after byteCount: Int) -> ScriptedAnswer {
        changed { $0.ending = .reset(after: byteCount) }
    }

    /// Sends nothing until the gate is open.
    public func held(by gate: Gate) -> ScriptedAnswer {
        changed { $0.headGate = gate }
    }

    /// Sends the head and so many bytes, and the rest once the gate is open. More than one gate makes a drip.
    public func held(by gate: Gate, after byteCount: Int) -> ScriptedAnswer {
        changed { $0.bodyGates.append(BodyGate(byteCount: byteCount, gate: gate)) }
    }

    /// With one more header line.
    public func adding(_ name: String, _ value: String) -> ScriptedAnswer {
        changed { $0.headers.append(name: name, value: value) }
    }

    private func changed(_ change: (inout ScriptedAnswer) -> Void) -> ScriptedAnswer {
        var answer = self
        change(&answer)
        return answer
    }
}
