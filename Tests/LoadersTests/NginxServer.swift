import Foundation
import WebImageTesting

/// An nginx of the test's own: plain HTTP and TLS with HTTP/2, on free ports, with a certificate that nobody knows.
final class NginxServer: Sendable {
    let plainPort: Int
    let securePort: Int
    /// TLS with a certificate that was good until yesterday.
    let expiredPort: Int
    /// The server's own certificate; it also vouches for itself and for clients.
    var certificate: URL { folder.appending(path: "certificate.pem") }
    var key: URL { folder.appending(path: "key.pem") }
    private let folder: URL
    private let process: ChildProcess

    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// Serves the files, given by name, and returns once both ports are open.
    static func start(files: [String: Data]) async throws -> NginxServer {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: it waits for processes.
            Thread { continuation.resume(with: Result { try onFreePorts(files) }) }.start()
        }
    }

    /// Somebody else may take a port between its choice and its use: then others are chosen.
    private static func onFreePorts(_ files: [String: Data]) throws -> NginxServer {
        for _ in 0..<4 {
            do {
                return try NginxServer(files: files)
            } catch let fault as Fault where fault.description.contains("Address already in use") {}
        }
        return try NginxServer(files: files)
    }

    private init(files: [String: Data]) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.binary) else {
            throw Fault(description: "\(Self.binary) is missing: run Scripts/setup")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "webimage-nginx-\(UUID().uuidString)")
        (plainPort, securePort, expiredPort) = try Self.freePorts()
        let root = folder.appending(path: "root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: root.appending(path: name)) }
        try Self.makeCertificates(in: folder)
        try Data("u:{PLAIN}p\n".utf8).write(to: folder.appending(path: "users"))
        let configuration = Self.configuration(folder, plainPort, securePort, expiredPort)
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        process = try Self.launch(in: folder)
    }

    deinit {
        // Ends soon, after those that it has started, which write to the folder until then.
        process.send(SIGTERM)
        _ = try? process.waitForEndBlocking()
        try? FileManager.default.removeItem(at: folder)
    }

    func plainURL(_ path: String) -> URL { url("http://127.0.0.1:\(plainPort)\(path)") }
    func expiredURL(_ path: String) -> URL { url("https://127.0.0.1:\(expiredPort)\(path)") }
    func secureURL(_ path: String) -> URL { url("https://127.0.0.1:\(securePort)\(path)") }

    private static let binary = "/usr/sbin/nginx"

    private func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    /// Ports that the system hands out and that are closed again.
    private static func freePorts() throws -> (Int, Int, Int) {
        let servers = try (0..<3).map { _ in try ScriptedHTTPServer() }
        defer { for server in servers { server.stop() } }
        return (servers[0].port, servers[1].port, servers[2].port)
    }

    private static func makeCertificates(in folder: URL) throws {
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try openssl(
            ["req", "-x509"] + curve + [
                "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", folder.appending(path: "key.pem").path,
                "-out", folder.appending(path: "certificate.pem").path,
            ])
        let request = folder.appending(path: "request.pem").path
        try openssl([
            "req", "-new", "-key", folder.appending(path: "key.pem").path, "-subj", "/CN=yesterday",
            "-addext", "subjectAltName=IP:127.0.0.1", "-out", request,
        ])
        try openssl([
            "x509", "-req", "-in", request, "-CA", folder.appending(path: "certificate.pem").path,
            "-CAkey", folder.appending(path: "key.pem").path, "-CAcreateserial", "-copy_extensions", "copy",
            "-days", "-1", "-out", folder.appending(path: "expired.pem").path,
        ])
    }

    private static func openssl(_ arguments: [String]) throws {
        guard try ChildProcess("/usr/bin/openssl", arguments).waitForEndBlocking() == .exited(0) else {
            throw Fault(description: "openssl made no certificate")
        }
    }

    private static func configuration(
        _ folder: URL, _ plainPort: Int, _ securePort: Int, _ expiredPort: Int
    ) -> String {
        """
        \(getuid() == 0 ? "user root root;" : "")
        daemon off; worker_processes 1; pid \(folder.path)/pid; error_log stderr notice;
        events { worker_connections 256; }
        http {
            access_log off; gzip on; gzip_min_length 100; gzip_types text/plain;
            types { image/png png; text/plain txt; }
            client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
            fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
            scgi_temp_path \(folder.path)/scgi;
            root \(folder.path)/root;
            add_header X-Connection $connection;
            keepalive_requests 1000000;
            keepalive_timeout 1d; send_timeout 1d; client_header_timeout 1d; client_body_timeout 1d;
            server { listen 127.0.0.1:\(plainPort); }
            server {
                listen 127.0.0.1:\(securePort) ssl http2;
                ssl_certificate \(folder.path)/certificate.pem; ssl_certificate_key \(folder.path)/key.pem;
                ssl_client_certificate \(folder.path)/certificate.pem; ssl_verify_client optional;
                add_header X-Connection $connection; add_header X-Client $ssl_client_verify;
                location = /private.png {
                    alias \(folder.path)/root/a.png; auth_basic "pictures"; auth_basic_user_file \(folder.path)/users;
                }
            }
            server {
                listen 127.0.0.1:\(expiredPort) ssl;
                ssl_certificate \(folder.path)/expired.pem; ssl_certificate_key \(folder.path)/key.pem;
            }
        }

        """
    }

    private static func launch(in folder: URL) throws -> ChildProcess {
        let errors = try ChildPipe()
        let process = try ChildProcess(
            binary, ["-e", "stderr", "-p", folder.path, "-c", folder.appending(path: "nginx.conf").path],
            streams: .init(errors: errors.writing))
        errors.closeWriting()
        // nginx names its event method once its ports are open.
        let isUp = errors.waitBlocking { String(decoding: $0, as: UTF8.self).contains("event method") }
        guard isUp else { throw Fault(description: "nginx did not start: \(errors.text)") }
        return process
    }
}
