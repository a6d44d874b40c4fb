import Testing
import WebImageFoundation

@testable import WebImageCore

@Suite("The bytes of a body, and the memory they are in")
struct ArrivedBodyTests {
    private let memory = BodyMemory()

    private func append(_ byteCount: Int, of value: UInt8, to body: ArrivedBody) {
        Data(repeating: value, count: byteCount).withUnsafeBytes { body.append($0) }
    }

    @Test("Parts come out as they went in, announced or not", arguments: [0, 1, 5000, 300_000, 1 << 20])
    func whole(_ announced: Int) {
        let body = ArrivedBody(memory)
        body.expect(announced)
        var expected = Data()
        for part in 0..<40 {
            append(part * 401, of: UInt8(part), to: body)
            expected.append(Data(repeating: UInt8(part), count: part * 401))
        }
        #expect(body.count == expected.count)
        #expect(body.copy(1000..<70_000) == expected[1000..<70_000])
        #expect(body.take() == expected && body.count == 0)
        #expect(body.take().isEmpty)
    }

    @Test("A large body's memory serves the next of its size, once nobody has the body any more")
    func again() {
        let other = memory.take(BodyMemory.leastByteCount)
        let body = ArrivedBody(memory)
        body.expect(300_000)
        append(300_000, of: 1, to: body)
        var data: Data? = body.take()
        let copy = data
        data = nil
        #expect(memory.spareByteCount == 0 && copy?.count == 300_000)
        do { _ = consume copy }
        #expect(memory.spareByteCount == 300_000)
        let smaller = memory.take(100_000)
        #expect(memory.spareByteCount == 300_000)
        let same = memory.take(290_000)
        #expect(memory.spareByteCount == 0 && same.byteCount == 300_000)
        for block in [smaller, same, other] { memory.give(block) }
    }

    @Test("A body that is changed by whoever has it is changed for nobody else, and its memory comes back once")
    func changed() {
        let first = memory.take(BodyMemory.leastByteCount)
        let body = ArrivedBody(memory)
        append(100_000, of: 1, to: body)
        do {
            var data = body.take()
            let before = data
            data.append(Data(repeating: 2, count: 1 << 20))
            data[0] = 3
            #expect(before == Data(repeating: 1, count: 100_000) && data.count == 100_000 + 1 << 20)
        }
        #expect(memory.spareByteCount == 100_000)
        memory.give(first)
    }

    @Test("Little is kept, and nothing while nothing runs")
    func bounded() {
        let blocks = (0..<40).map { _ in memory.take(1 << 20) }
        for block in blocks { memory.give(block) }
        #expect(memory.spareByteCount == BodyMemory.maxSpareByteCount)
        let late = memory.take(300_000)
        memory.letGo()
        #expect(memory.spareByteCount == 0)
        memory.give(late)
        #expect(memory.spareByteCount == 0)
    }

    @Test("A body that is much smaller than what was announced does not keep the memory")
    func short() {
        let body = ArrivedBody(memory)
        body.expect(1 << 22)
        append(70_000, of: 1, to: body)
        let data = body.take()
        #expect(data == Data(repeating: 1, count: 70_000) && memory.spareByteCount == 1 << 22)
    }

    @Test(
        "A large body has no more memory than it is long, announced rightly, wrongly or not",
        arguments: [0, 2_000_000, 9_000_000, 200_000_000])
    func large(_ announced: Int) {
        let other = memory.take(BodyMemory.leastByteCount)
        let body = ArrivedBody(memory)
        body.expect(announced)
        for part in 0..<90 { append(100_000, of: UInt8(part), to: body) }
        let data = body.take()
        #expect(data.count == 9_000_000 && memory.spareByteCount < 4_000_000)
        for part in 0..<90 {
            let place = part * 100_000
            #expect(data[place] == UInt8(part) && data[place + 99_999] == UInt8(part))
        }
        let before = memory.spareByteCount
        do { _ = consume data }
        #expect(memory.spareByteCount == before + 9_000_000)
        memory.give(other)
    }
}
