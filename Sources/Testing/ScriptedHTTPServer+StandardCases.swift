import WebImageCore
import WebImageFoundation

extension ScriptedHTTPServer {
    /// The gates of the standard cases.
    public struct StandardGates: Sendable {
        /// Holds `/slow` after a tenth of its body.
        public let slow = Gate()
        /// Holds the first hit of `/sleep` before its head.
        public let sleep = Gate()
    }

    /// Scripts the exchanges that image loaders get wrong most often; bodies are `ScriptedHTTPServer.red`.
    ///
    /// - `/img` whole; `/x.jpg` whole but called `image/webp`; `/404img` whole with status 404
    /// - `/trunc` first hit half a body with the full length announced, then whole; `/trunc_nolen` half a body without
    ///   a length; `/chunk_cut` closed inside a chunk; `/reset1` first hit reset after 3,000 bytes, then whole
    /// - `/html` first hit a web page with status 200, then whole; `/empty` no bytes; `/once503` first hit 503
    /// - `/redir_same`, `/r301`, `/r303`, `/r307`, `/r308` to `/img`; `/redir` to `/img` of the other server; `/loop`
    ///   to itself; `/noloc` without a target; `/to_file` to a local file
    /// - `/basic` 401 until the request has the credential `u:p`
    /// - `/slow` and `/sleep` held by the gates returned
    @discardableResult
    public func scriptStandardCases(redirectingTo other: ScriptedHTTPServer) -> StandardGates {
        let gates = StandardGates()
        scriptPictures(gates)
        scriptBrokenBodies()
        scriptRedirects(other)
        other.script("/img", .picture())
        return gates
    }

    private func scriptPictures(_ gates: StandardGates) {
        script("/img", .picture())
        script("/x.jpg", .picture(type: "image/webp"))
        script("/404img", ScriptedAnswer(statusCode: 404, headers: ["Content-Type": "image/png"], body: Self.red))
        script("/html", .body(Data("<html>no</html>".utf8), type: "text/html"), .picture())
        script("/empty", .picture(Data()))
        script("/once503", .status(503), .picture())
        script("/slow", .picture().held(by: gates.slow, after: Self.red.count / 10))
        script("/sleep", .picture().held(by: gates.sleep), .picture())
        script("/basic") { request in
            request.headers["Authorization"] == "Basic dTpw"
                ? .picture() : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        }
    }

    private func scriptBrokenBodies() {
        script("/trunc", .picture().cut(after: Self.red.count / 2), .picture())
        script("/trunc_nolen", .picture(Self.red.prefix(Self.red.count / 2)).untilClose())
        script("/chunk_cut", .picture().chunked().cut(after: 6000))
        script("/reset1", .picture().reset(after: 3000), .picture())
    }

    private func scriptRedirects(_ other: ScriptedHTTPServer) {
        script("/redir_same", .redirect(to: "/img").adding("Set-Cookie", "sid=1; Path=/"))
        script("/redir", .redirect(to: other.url("/img").absoluteString).adding("Set-Cookie", "sid=1; Path=/"))
        for status in [301, 303, 307, 308] { script("/r\(status)", .redirect(to: "/img", status: status)) }
        script("/loop", .redirect(to: "/loop"))
        script("/noloc", .status(302))
        script("/to_file", .redirect(to: "file:///etc/hostname"))
    }
}
