import Synchronization
import Testing
import WebImageFoundation

@testable import WebImageCore

@Suite("Whose turn it is at the disk") struct DiskLinesTests {
    private let first = CacheKey("first")
    private let second = CacheKey("second")

    /// Lines whose turns are noted by name.
    private final class Disk: Sendable {
        private let state = Mutex((lines: DiskLines(), places: [String: DiskLines.Place](), begun: [String]()))

        var lines: DiskLines { state.withLock { $0.lines } }
        /// What has begun since this was last asked, sorted.
        var begun: [String] {
            state.withLock { state in
                defer { state.begun = [] }
                return state.begun.sorted()
            }
        }

        func read(_ name: String, _ key: CacheKey) { join(name, key, nil) }
        func change(_ name: String, _ key: CacheKey, _ change: DiskChange = .unknown) { join(name, key, change) }

        private func join(_ name: String, _ key: CacheKey, _ change: DiskChange?) {
            let turns = state.withLock { state in
                let (place, turns) = state.lines.join(key, change) { [self] _ in note(name) }
                state.places[name] = place
                return turns
            }
            for turn in turns { turn() }
        }

        func clear(_ name: String) {
            run { [self] lines in
                lines.clear { place in
                    self.state.withLock { $0.places[name] = place }
                    self.note(name)
                }
            }
        }

        func afterAll(_ name: String) {
            run { [self] lines in lines.afterAll { _ in self.note(name) } }
        }

        func finish(_ name: String) {
            run { [place = state.withLock { $0.places[name]! }] lines in lines.finish(place) }
        }

        private func run(_ call: (inout DiskLines) -> [DiskLines.Turn]) {
            for turn in state.withLock({ call(&$0.lines) }) { turn() }
        }

        private func note(_ name: String) { state.withLock { $0.begun.append(name) } }
    }

    @Test func readsRunTogetherAndChangesAloneInOrder() {
        let disk = Disk()
        disk.read("a", first)
        disk.read("b", first)
        disk.change("c", first)
        disk.read("d", first)
        disk.read("e", first)
        disk.change("f", first)
        #expect(disk.begun == ["a", "b"])
        disk.finish("b")
        #expect(disk.begun == [])
        disk.finish("a")
        #expect(disk.begun == ["c"])
        disk.finish("c")
        #expect(disk.begun == ["d", "e"])
        disk.finish("d")
        disk.finish("e")
        #expect(disk.begun == ["f"])
        disk.finish("f")
        #expect(disk.lines.isEmpty)
    }

    @Test func keysDoNotWaitForEachOther() {
        let disk = Disk()
        disk.change("a", first)
        disk.change("b", second)
        disk.read("c", second)
        #expect(disk.begun == ["a", "b"])
        disk.finish("b")
        #expect(disk.begun == ["c"])
    }

    @Test func aClearWaitsForAllBeforeAndAllAfterWaitForIt() {
        let disk = Disk()
        disk.read("a", first)
        disk.clear("clear")
        disk.read("b", first)
        disk.change("c", second)
        disk.clear("again")
        disk.read("d", second)
        #expect(disk.begun == ["a"])
        disk.finish("a")
        #expect(disk.begun == ["clear"])
        disk.finish("clear")
        #expect(disk.begun == ["b", "c"])
        disk.finish("c")
        #expect(disk.begun == [])
        disk.finish("b")
        #expect(disk.begun == ["again"])
        disk.finish("again")
        #expect(disk.begun == ["d"])
        disk.finish("d")
        #expect(disk.lines.isEmpty)
    }

    @Test func whatComesAfterAllHoldsNobody() {
        let disk = Disk()
        disk.afterAll("at once")
        #expect(disk.begun == ["at once"])
        disk.change("a", first)
        disk.change("b", first)
        disk.afterAll("sweep")
        disk.change("c", second)
        #expect(disk.begun == ["a", "c"])
        disk.finish("a")
        disk.finish("c")
        #expect(disk.begun == ["b"])
        disk.finish("b")
        #expect(disk.begun == ["sweep"])
        #expect(disk.lines.isEmpty)
    }

    @Test func whatIsComingIsKnown() {
        let disk = Disk()
        func known() -> String {
            switch disk.lines.known(first) {
            case .stored(let entry): "\(entry.data.count) \(entry.metadata.contentType ?? "-")"
            case .removed: "removed"
            default: "the disk's"
            }
        }
        #expect(known() == "the disk's")
        disk.change("a", first, .metadata(DiskMetadata(contentType: "m")))
        #expect(known() == "the disk's")
        disk.change("b", first, .stored(CachedData(data: Data(count: 3))))
        #expect(known() == "3 -")
        disk.change("c", first, .metadata(DiskMetadata(contentType: "m")))
        #expect(known() == "3 m")
        disk.change("d", first, .removed)
        disk.change("e", first, .metadata(DiskMetadata(contentType: "m")))
        #expect(known() == "removed")
        for name in ["a", "b", "c", "d"] { disk.finish(name) }
        #expect(known() == "removed")
        disk.clear("clear")
        disk.change("f", first, .stored(CachedData(data: Data(count: 4))))
        disk.finish("e")
        #expect(known() == "4 -")
        disk.finish("clear")
        disk.finish("f")
        #expect(known() == "the disk's" && disk.lines.isEmpty)
        disk.read("g", second)
        disk.clear("last")
        #expect(known() == "removed")
    }
}
