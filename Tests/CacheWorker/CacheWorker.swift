import Foundation
import WebImageCore
import WebImageTesting

/// One of the processes of the chaos test: does random things to a cache until it is killed, and ends by itself, with
/// the status 3, only when it finds something that must not be.
///
/// `CacheWorker FOLDER SEED`. After each operation a byte goes to standard output, where one fits.
@main
enum CacheWorker {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            fatalError("usage: CacheWorker FOLDER SEED")
        }
        _ = fcntl(1, F_SETFL, O_NONBLOCK)
        var worker = Chaos(folder: arguments[1], seed: seed)
        while true {
            worker.step()
            var byte = UInt8(ascii: ".")
            _ = write(1, &byte, 1)
        }
    }
}

/// What one process does.
struct Chaos {
    private let cache: DiskCache
    private var generator: SeededGenerator

    private static let keyCount = 40

    init(folder: String, seed: UInt64) {
        var configuration = ImageCacheConfiguration()
        configuration.maxDiskSize = 1_500_000
        configuration.verifiesDigestOnRead = seed % 2 == 0
        cache = DiskCache(folder: folder, configuration: configuration)
        generator = SeededGenerator(seed: seed)
    }

    mutating func step() {
        let number = Int.random(in: 0..<Self.keyCount, using: &generator)
        let key = CacheKey("https://chaos.example/\(number).png")
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<400: store(number, key)
        case 400..<700: read(number, key)
        case 700..<800: try? cache.remove(key)
        case 800..<850: cache.removeExpired()
        case 850..<900: try? cache.setMetadata(metadata(), for: key)
        case 900..<930: try? cache.pin(key, tag: "t")
        case 930..<960: try? cache.unpin(key, tag: "t")
        case 960..<990: verify()
        case 990..<996: try? cache.removeAll()
        case 996..<998: removeFolder()
        default: for index in 0..<100 { _ = cache.contains(CacheKey("never \(index)")) }
        }
    }

    private mutating func store(_ number: Int, _ key: CacheKey) {
        let count = 16 + Int.random(in: 0..<100_000, using: &generator)
        let version = UInt64.random(in: 0..<4, using: &generator)
        do throws(ImageError) {
            try cache.store(Self.body(UInt64(number), version, count), for: key, metadata: metadata())
        } catch {
            // Others may take the folder away faster than it can be made.
            guard error.message.contains("No such file or directory") else { return fail("store", error.message) }
        }
    }

    private func read(_ number: Int, _ key: CacheKey) {
        do throws(ImageError) {
            guard let entry = try cache.data(for: key) else { return }
            let version = entry.data.dropFirst(8).first.map(UInt64.init) ?? 0
            guard entry.data == Self.body(UInt64(number), version, entry.data.count) else {
                return fail("read", "\(key) has other bytes than were stored")
            }
        } catch {
            fail("read", error.message)
        }
    }

    /// At one stroke, as a person or a cleaner does: a removal file by file leaves halves of entries.
    private mutating func removeFolder() {
        let gone = cache.folder + "-gone-\(generator.next())"
        try? FileManager.default.moveItem(atPath: cache.folder, toPath: gone)
        try? FileManager.default.removeItem(atPath: gone)
    }

    private func verify() {
        for fault in cache.verify(removesFaults: false).faults where fault.kind != .forgotten {
            fail("verify", "\(fault)")
        }
    }

    /// Now and then more than an attribute holds.
    private mutating func metadata() -> DiskMetadata {
        let isLarge = Int.random(in: 0..<5, using: &generator) == 0
        return DiskMetadata(url: "https://chaos.example", extendedData: isLarge ? Data(count: 20_000) : nil)
    }

    /// Bytes that tell whose they are.
    private static func body(_ number: UInt64, _ version: UInt64, _ count: Int) -> Data {
        var data = Data(repeating: UInt8(truncatingIfNeeded: number &* 7 &+ version), count: max(count, 16))
        data[0] = UInt8(truncatingIfNeeded: number)
        data[8] = UInt8(truncatingIfNeeded: version)
        return data
    }

    private func fail(_ work: String, _ what: String) {
        FileHandle.standardError.write(Data("\(work): \(what)\n".utf8))
        exit(3)
    }
}
