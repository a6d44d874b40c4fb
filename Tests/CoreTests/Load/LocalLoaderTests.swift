import Foundation
import Testing
import WebImageCore
import WebImageTesting

@Suite("file: and data: URLs", .timeLimit(.minutes(20)))
struct LocalLoaderTests {
    private func load(_ url: String, with loader: any ImageLoader) async -> Result<Data, ImageError> {
        await withCheckedContinuation { continuation in
            _ = loader.load(ImageRequest(URL(string: url)), progress: { _ in }) { result in
                continuation.resume(returning: result.map(\.data))
            }
        }
    }

    @Test(
        "data: URLs in their spellings",
        arguments: [
            ("data:image/png;base64,AQID", [1, 2, 3]), ("data:;base64,AQI=", [1, 2]), ("data:;base64,AQI", [1, 2]),
            ("data:;base64,AQI%3D", [1, 2]), ("data:,ab%00c", [97, 98, 0, 99]), ("DATA:text/plain,a", [97]),
            ("data:,%+5%-0%4", Array("%+5%-0%4".utf8)), ("data:;base64,AQ%0AID", [1, 2, 3]),
            ("data:;base64,AQID#a", [1, 2, 3]),
        ] as [(String, [UInt8])])
    func dataURLs(_ url: String, _ expected: [UInt8]) async throws {
        let loader = DataURLLoader()
        #expect(loader.canLoad(try #require(URL(string: url))))
        #expect(try await load(url, with: loader).get() == Data(expected))
    }

    @Test(
        "Bad data: URLs are one error", arguments: ["data:", "data:,", "data:;base64,!!!!", "data:image/png;base64,"])
    func badDataURLs(_ url: String) async {
        await #expect { try await load(url, with: DataURLLoader()).get() } throws: {
            ($0 as? ImageError)?.code == .badImageData
        }
    }

    @Test("A file's bytes, through a link and with escapes in its name")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "ü b%20.png")
        try Data([1, 2, 3]).write(to: file)
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        for url in [file, link] {
            #expect(try await load(url.absoluteString, with: FileLoader()).get() == Data([1, 2, 3]))
        }
    }

    @Test("Missing, empty, too large, a folder, a device: one error that names the file")
    func badFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let empty = folder.appending(path: "empty")
        let large = folder.appending(path: "large")
        try Data().write(to: empty)
        try Data(count: 11).write(to: large)
        let cases: [(URL, ImageError.Code)] = [
            (folder.appending(path: "missing"), .fileNotReadable), (empty, .badImageData), (large, .limitExceeded),
            (folder, .fileNotReadable), (URL(fileURLWithPath: "/dev/zero"), .fileNotReadable),
        ]
        for (url, code) in cases {
            let result = await load(url.absoluteString, with: FileLoader(maxByteCount: 10))
            guard case .failure(let error) = result else {
                Issue.record("\(url) was read")
                continue
            }
            #expect(error.code == code && error.message.contains(url.path()))
        }
    }

    @Test("A URL that no loader takes is the error noLoader; the last one added is asked first")
    func loaders() async throws {
        let first = FakeLoader()
        let last = FakeLoader()
        let url = try #require(URL(string: "x://h/a"))
        first.script(url, .data(Data([1])))
        last.script(url, .data(Data([2])))
        let loaders = LoadersManager([first])
        loaders.add(last)
        #expect(try await load("x://h/a", with: loaders).get() == Data([2]))
        loaders.remove(last)
        #expect(try await load("x://h/a", with: loaders).get() == Data([1]))
        loaders.remove(first)
        #expect(!loaders.canLoad(url))
        await #expect { try await load("x://h/a", with: loaders).get() } throws: {
            ($0 as? ImageError)?.code == .noLoader
        }
    }
}
