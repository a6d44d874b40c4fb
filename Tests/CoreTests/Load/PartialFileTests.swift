import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("The file of a beginning")
struct PartialFileTests {
    private let folder = try! CacheTestFolder()
    private let key = CacheKey("https://h/a.png")
    private let identity = BodyIdentity(url: "https://h/a.png", validator: "\"1\"", totalByteCount: 9000)

    private var path: String { folder.path + "/a.partial" }

    /// Bytes that differ from place to place.
    private static let bytes: Data = {
        var generator = SeededGenerator(seed: 7)
        return Data((0..<8000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }()

    /// Portions of 1024, 500 and 700 bytes.
    private func makeFile() throws {
        let file = try PartialFile(path, key, identity)
        for part in [0..<1024, 1024..<1524, 1524..<2224] { try file.append(Self.bytes[part], at: nil) }
    }

    private func open(_ key: CacheKey? = nil) -> (file: PartialFile, body: PartialBody)? {
        PartialFile.open(path, key ?? self.key, maxByteCount: 1 << 20)
    }

    @Test("What was written comes back, and what the body is of; it can be gone on with")
    func roundTrip() throws {
        for total in [9000, nil] {
            var identity = identity
            identity.totalByteCount = total
            do {
                let file = try PartialFile(path, key, identity)
                try file.append(Self.bytes.prefix(2000), at: nil)
            }
            do {
                let (file, body) = try #require(open())
                #expect(body.identity == identity && file.identity == identity && file.byteCount == 2000)
                #expect(body.data == Self.bytes.prefix(2000))
                try file.append(Self.bytes[2000..<3000], at: nil)
            }
            let (file, body) = try #require(open())
            #expect(body.data == Self.bytes.prefix(3000) && file.byteCount == 3000)
            file.remove()
            #expect(folder.names().isEmpty)
        }
    }

    @Test("A file cut anywhere is its whole portions, and goes on behind them; one that has none is removed")
    func torn() throws {
        try makeFile()
        let whole = try Data(contentsOf: URL(filePath: path))
        var seen: Set<Int> = []
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: URL(filePath: path))
            guard let (file, body) = open() else {
                #expect(folder.names().isEmpty)
                continue
            }
            seen.insert(body.data.count)
            #expect(body.data == Self.bytes.prefix(body.data.count))
            try file.append(Self.bytes[body.data.count..<body.data.count + 10], at: nil)
            let expected = body.data.count + 10
            withExtendedLifetime(file) {}
            #expect(FileManager.default.contents(atPath: path)?.suffix(10) == Self.bytes[expected - 10..<expected])
        }
        #expect(seen == [1024, 1524])
    }

    @Test("A bit that flips anywhere, and zeros where a machine lost its power, cost what is behind them at most")
    func damaged() throws {
        try makeFile()
        let whole = try Data(contentsOf: URL(filePath: path))
        for place in stride(from: 0, to: whole.count, by: 7) {
            var damaged = whole
            damaged[place] ^= 1
            try damaged.write(to: URL(filePath: path))
            #expect(open().map { $0.body.data == Self.bytes.prefix($0.body.data.count) } ?? true)
            #expect(open().map { $0.body.data.count < 2224 } ?? true)
        }
        try (whole + Data(count: 5000)).write(to: URL(filePath: path))
        #expect(open()?.body.data == Self.bytes.prefix(2224))
        #expect(FileManager.default.contents(atPath: path)?.count == whole.count)
    }

    @Test("Nobody else has one that is open; of another key, too large, empty or no file, it is none")
    func locked() throws {
        do {
            let file = try PartialFile(path, key, identity)
            try file.append(Self.bytes, at: nil)
            #expect(open() == nil && !PartialFile.removeUnused(path))
            withExtendedLifetime(file) {}
        }
        #expect(open() != nil)
        #expect(PartialFile.open(path, key, maxByteCount: 8000) == nil && folder.names().isEmpty)
        try makeFile()
        #expect(open(CacheKey("https://h/b.png")) == nil && folder.names().isEmpty)
        try Data().write(to: URL(filePath: path))
        #expect(open() == nil && folder.names().isEmpty)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(open() == nil && !PartialFile.removeUnused(path))
    }

    @Test("One that is whole already is of no use")
    func complete() throws {
        do {
            let file = try PartialFile(path, key, BodyIdentity(url: "u", validator: "\"1\"", totalByteCount: 8000))
            try file.append(Self.bytes, at: nil)
        }
        #expect(open() == nil && folder.names().isEmpty)
    }
}
