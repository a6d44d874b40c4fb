import Testing
import WebImageTesting

@testable import WebImageCore

@Suite("MemoryTable: an open table of keys")
struct MemoryTableTests {
    private let keys = (0..<300).map { CacheKey("https://h/\($0).png") }

    @Test("whatever is done, it holds what a dictionary would, and takes no more room than that needs")
    func aDictionaryAgrees() throws {
        var generator = SeededGenerator(seed: 5)
        var table = MemoryTable()
        var model: [CacheKey: ObjectIdentifier] = [:]
        for step in 0..<6000 {
            let key = try #require(keys.randomElement(using: &generator))
            let place = table.place(of: key)
            #expect((place != nil) == (model[key] != nil))
            if let place {
                let removed = table.remove(at: place).entry.map(ObjectIdentifier.init)
                #expect(removed == model.removeValue(forKey: key))
            } else {
                let entry = MemoryEntry(key: key)
                model[key] = ObjectIdentifier(entry)
                #expect(table.slots[table.insert(entry)].entry === entry)
            }
            if step % 100 == 0 { check(table, model) }
        }
    }

    @Test("what is no longer wanted goes, the rest is found, and the room shrinks")
    func removeAll() {
        var table = MemoryTable()
        for key in keys { _ = table.insert(MemoryEntry(key: key)) }
        table.removeAll { $0.entry?.key != keys[7] }
        #expect(table.count == 1 && table.slots.count == 8)
        #expect(table.place(of: keys[7]).map { table.slots[$0].entry?.key } == keys[7])
        table.removeAll { _ in true }
        #expect(table.count == 0 && Array(table.known).isEmpty && table.place(of: keys[7]) == nil)
    }

    @Test("uses are counted up to a bound, and taken")
    func uses() {
        var table = MemoryTable()
        let place = table.insert(MemoryEntry(key: keys[0]))
        for _ in 0..<300 { table.slots[place].use() }
        #expect(table.slots[place].takeUses() == 15)
        #expect(table.slots[place].takeUses() == 0)
    }

    private func check(_ table: MemoryTable, _ model: [CacheKey: ObjectIdentifier]) {
        #expect(table.count == model.count && table.slots.count <= max(8, 600 * 4))
        let known = table.known.compactMap { $0.entry }
        #expect(Dictionary(uniqueKeysWithValues: known.map { ($0.key, ObjectIdentifier($0)) }) == model)
        for (key, entry) in model {
            #expect(table.place(of: key).flatMap { table.slots[$0].entry }.map(ObjectIdentifier.init) == entry)
        }
    }
}
