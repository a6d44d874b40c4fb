import WebImageCore
import WebImageFoundation

extension ScriptedAnswer {
    /// What the server does, one after the other.
    enum Step {
        case send([UInt8])
        case wait(Gate)
        /// Closes and ends.
        case close
        /// Resets and ends.
        case reset
    }

    func steps(method: String) -> [Step] {
        if let rawBytes { return waiting(headGate) + [.send(Array(rawBytes)), .close] }
        let body = hasBody(method) ? bodyOnWire : []
        return waiting(headGate) + [.send(head(method))] + bodySteps(body) + endingSteps
    }

    private func waiting(_ gate: Gate?) -> [Step] {
        gate.map { [.wait($0)] } ?? []
    }

    private func hasBody(_ method: String) -> Bool {
        method != "HEAD" && isBodyAllowed
    }

    private var isBodyAllowed: Bool {
        statusCode >= 200 && statusCode != 204 && statusCode != 304
    }

    private func head(_ method: String) -> [UInt8] {
        var fields = headers
        switch framing {
        case .contentLength where isBodyAllowed && fields["Content-Length"] == nil:
            fields["Content-Length"] = String(body.count)
        case .chunked where isBodyAllowed: fields["Transfer-Encoding"] = "chunked"
        case .untilClose: fields["Connection"] = "close"
        default: break
        }
        let lines = fields.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(statusCode) Scripted\r\n\(lines)\r\n".utf8)
    }

    private var bodyOnWire: [UInt8] {
        guard case .chunked(let byteCount) = framing else { return Array(body) }
        var (wire, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(body)[...])
        while !rest.isEmpty {
            let piece = rest.prefix(byteCount)
            rest = rest.dropFirst(piece.count)
            wire += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A]
        }
        return wire + Array("0\r\n\r\n".utf8)
    }

    private func bodySteps(_ wire: [UInt8]) -> [Step] {
        let end = min(lastByteCount ?? wire.count, wire.count)
        var (steps, position): ([Step], Int) = ([], 0)
        for stop in bodyGates.sorted(by: { $0.byteCount < $1.byteCount }) where stop.byteCount <= end {
            steps += [.send(Array(wire[position..<stop.byteCount])), .wait(stop.gate)]
            position = stop.byteCount
        }
        return steps + [.send(Array(wire[position..<end]))]
    }

    private var lastByteCount: Int? {
        switch ending {
        case .whole: nil
        case .closed(let byteCount), .reset(let byteCount): max(byteCount, 0)
        }
    }

    private var endingSteps: [Step] {
        switch ending {
        case .reset: [.reset]
        case .closed: [.close]
        case .whole: framing == .untilClose || headers["Connection"]?.lowercased() == "close" ? [.close] : []
        }
    }
}
