import Foundation
import Testing
import WebImageCore
import WebImagePixels

/// Work is counted here, since time is no test: the coders' own work is in proportion to the portions they get.
@Suite struct PortionedDecoderTests {
    @Test("B31 however the bytes are cut, portions are few", arguments: [1, 3, 100, 1000, 5000], [false, true])
    func B31_fewPortions(_ piece: Int, asking: Bool) throws {
        let watched = [(60, 1), (1000, 2), (8000, 9), (100_000, 20), (1_000_000, 75)]
        let unwatched = [(60, 1), (1000, 2), (8000, 2), (100_000, 8), (1_000_000, 63)]
        for (byteCount, most) in asking ? watched : unwatched {
            let work = Work()
            let decoder = decoder(work)
            try drip(byteCount, into: decoder, piece, asking: asking)
            _ = try decoder.finish()
            #expect(work.portions.reduce(0, +) == byteCount, "\(byteCount) bytes")
            // What waited and the piece that made it enough are handed on one after the other.
            #expect(work.portions.count <= 2 * most, "\(byteCount) bytes")
        }
    }

    @Test("A decoder takes data as well")
    func takesData() throws {
        let work = Work()
        let decoder: any IncrementalDecoder = decoder(work)
        try decoder.append(Data())
        try decoder.append(Data(repeating: 7, count: 100)[10..<90])
        _ = try decoder.finish()
        #expect(work.portions.reduce(0, +) == 80)
    }

    @Test func whoAsksLateGetsWhatThereIs() throws {
        let work = Work()
        let decoder = decoder(work)
        try drip(10_000, into: decoder, 1)
        #expect(work.portions == [63, 1] && work.previewCount == 0)
        _ = try decoder.partialImage()
        #expect(work.portions.reduce(0, +) == 10_000 && work.previewCount == 1)
        try drip(2500, into: decoder, 1)
        #expect(work.portions.reduce(0, +) == 12_500)
    }

    @Test func whoAsksEarlyGetsNothing() throws {
        let work = Work()
        let decoder = decoder(work)
        #expect(try decoder.partialImage() == nil)
        try drip(64, into: decoder, 1, asking: true)
        #expect(work.previewCount == 1 && work.portions.reduce(0, +) == 64)
    }

    @Test("Asking after every byte asks the coder once a portion")
    func fewPreviews() throws {
        let work = Work()
        let decoder = decoder(work)
        try drip(100_000, into: decoder, 1, asking: true)
        _ = try decoder.finish()
        #expect(work.previewCount <= work.portions.count)
        #expect(work.previewCount >= 14)
    }

    @Test func bytesComeInOrder() throws {
        for piece in [1, 7, 63, 64, 65, 1023, 1025, 20_000] {
            let work = Work()
            let decoder = decoder(work)
            try drip(50_000, into: decoder, piece)
            _ = try decoder.finish()
            #expect(work.bytes.elementsEqual((0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 3) }))
        }
    }

    @Test func theFirstPortionIsEnoughForTheSize() throws {
        let work = Work()
        let decoder = decoder(work)
        try drip(63, into: decoder, 1)
        #expect(work.portions.isEmpty)
        try drip(1, into: decoder, 1)
        #expect(work.portions.reduce(0, +) == 64)
    }

    @Test func nothingIsNewBetweenPortions() throws {
        let work = Work()
        let decoder = decoder(work)
        try drip(64, into: decoder, 64, asking: true)
        #expect(work.previewCount == 1)
        try drip(500, into: decoder, 1, asking: true)
        #expect(work.previewCount == 1)
    }

    @Test("B10 an error stays, however few bytes follow")
    func B10_stickyError() throws {
        let work = Work()
        let decoder = decoder(work, DecodeLimits(maxByteCount: 100))
        #expect(failure { try drip(2000, into: decoder, 1) } == .limitExceeded)
        #expect(failure { try drip(1, into: decoder, 1) } == .limitExceeded)
        #expect(failure { _ = try decoder.partialImage() } == .limitExceeded)
        #expect(failure { _ = try decoder.finish() } == .limitExceeded)
    }

    @Test func afterTheEndBytesAreIgnored() throws {
        let work = Work()
        let decoder = decoder(work)
        try drip(2000, into: decoder, 500)
        let image = try decoder.finish()
        try drip(2000, into: decoder, 1, asking: true)
        #expect(work.portions.reduce(0, +) == 2000)
        #expect(try decoder.finish() === image)
    }

    // MARK: Parts

    private func decoder(_ work: Work, _ limits: DecodeLimits = DecodeLimits()) -> PortionedDecoder {
        PortionedDecoder(of: .png, limits: limits) { CountingArrival(work) }
    }

    private func drip(
        _ byteCount: Int, into decoder: PortionedDecoder, _ piece: Int, asking: Bool = false
    ) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 / 3) }
        for start in stride(from: 0, to: byteCount, by: piece) {
            try bytes[start..<min(byteCount, start + piece)].withUnsafeBytes { try decoder.append($0) }
            if asking { _ = try decoder.partialImage() }
        }
    }

    private func failure(_ body: () throws -> Void) -> ImageError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ImageError)?.code
        }
    }
}

/// What an arrival was asked to do.
private final class Work {
    var portions: [Int] = []
    var bytes: [UInt8] = []
    var previewCount = 0
}

private final class CountingArrival: ImageArrival {
    private let work: Work

    init(_ work: Work) {
        self.work = work
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
        work.portions.append(bytes.count)
        work.bytes.append(contentsOf: bytes)
    }

    func preview() throws(ImageError) -> DecodedImage? {
        work.previewCount += 1
        return nil
    }

    func finish() throws(ImageError) -> DecodedImage {
        guard let pixels = PixelBuffer(size: PixelSize(1, 1)) else { throw ImageError(.badImageData, .decode, "") }
        return DecodedImage(pixels: pixels)
    }
}
