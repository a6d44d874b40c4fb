import Testing

@testable import WebImagePixels

/// The loops for each kind of processor give the same bytes as plain arithmetic, one sample after the other.
@Suite("Resampling paths")
struct ResamplingPathTests {
    private struct Work: Sendable, CustomTestStringConvertible {
        let source: PixelSize
        let target: PixelSize
        var part: ImageRect?
        let filter: ResamplingFilter
        let alpha: AlphaMode

        var testDescription: String { "\(source) to \(target), \(filter), \(alpha)" }
    }

    /// Odd sizes, thin ones, smaller, larger and both at once, the whole and parts.
    private static let works: [Work] = {
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        func side(_ limit: Int) -> Int { 1 + Int(random.next() % UInt64(limit)) }
        return (0..<60).map { index in
            let source = PixelSize(index % 9 == 0 ? 1 : side(45), index % 7 == 0 ? 1 : side(35))
            let target = PixelSize(side(index % 3 == 0 ? 70 : 20), side(index % 4 == 0 ? 60 : 15))
            var part: ImageRect?
            if index % 5 == 0 {
                let x = Double(random.next() % 1000) / 1000 * Double(source.width) / 2
                let y = Double(random.next() % 1000) / 1000 * Double(source.height) / 2
                part = ImageRect(
                    x: x, y: y, width: Double(source.width) / 2 - 0.1, height: Double(source.height) / 2 - 0.1)
            }
            return Work(
                source: source, target: target, part: part,
                filter: ResamplingFilter.allCases[index % ResamplingFilter.allCases.count],
                alpha: [.opaque, .premultiplied, .straight][index % 3])
        }
    }()

    @Test("Bytes: every path is the plain one", arguments: works)
    private func bytes(_ work: Work) throws {
        let source = try noise(work.source, work.alpha)
        let expected = try plain(source.withAlpha(work.alpha == .straight ? .premultiplied : work.alpha), work)
        for path in ResamplingPath.available {
            let result = try #require(
                source.resized(to: work.target, part: work.part, resampling: Resampling(work.filter), on: path))
            #expect(result.samples == expected, "\(path)")
        }
    }

    @Test("Linear light: every path is the same, straight alpha as premultiplied", arguments: works)
    private func linearLight(_ work: Work) throws {
        let source = try noise(work.source, work.alpha)
        let resampling = Resampling(work.filter, light: .linear)
        let results = ResamplingPath.available
            .map { source.resized(to: work.target, part: work.part, resampling: resampling, on: $0)?.samples }
        #expect(Set(results).count == 1)
        let samples = try #require(results[0])
        for offset in stride(from: 0, to: samples.count, by: 4) {
            #expect(samples[offset..<offset + 3].allSatisfy { $0 <= samples[offset + 3] })
        }
    }

    @Test("Half floats: every path is the portable one", arguments: works)
    private func halves(_ work: Work) throws {
        let bytes = try noise(work.source, work.alpha)
        var source = try #require(
            PixelBuffer(size: work.source, layout: .init(format: .rgbaHalf, alpha: work.alpha)))
        source.withUnsafeMutableBytes { target in
            for (index, sample) in bytes.samples.enumerated() {
                target.storeBytes(of: Float16(Float(sample) / 255), toByteOffset: index * 2, as: Float16.self)
            }
        }
        let results = ResamplingPath.available
            .map { path in
                source.resized(to: work.target, part: work.part, resampling: Resampling(work.filter), on: path)?.samples
            }
        #expect(Set(results).count == 1 && results[0] != nil)
        // And near the picture of bytes, which keeps within 0 and 255 as floats do not.
        guard work.alpha == .opaque else { return }
        let other = try #require(bytes.resized(to: work.target, part: work.part, resampling: Resampling(work.filter)))
        let half = try #require(source.resized(to: work.target, part: work.part, resampling: Resampling(work.filter)))
        for y in 0..<other.height {
            for x in 0..<other.width {
                let color = half.half(x, y).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 1)) * 255
                #expect(abs(color - SIMD4<Float>(other.pixel(x, y))).max() <= 1.5)
            }
        }
    }

    @Test("Rows may come into a sink or be taken from where they are")
    func sink() throws {
        let source = try noise(PixelSize(61, 47), .premultiplied)
        let expected = try #require(source.resized(to: PixelSize(17, 20)))
        var sink = try #require(ResamplingSink(source: source.size, target: PixelSize(17, 20)))
        for y in 0..<47 {
            source.withUnsafeRow(y) { row in sink.withNextRow { $0.copyMemory(from: row) } }
            // A copy, as for a picture of the rows so far, does not disturb the other.
            if y == 30 { #expect(sink.finish().color(x: 8, y: 19) == .clear) }
        }
        #expect(sink.finish().samples == expected.samples)
    }

    private func noise(_ size: PixelSize, _ alpha: AlphaMode) throws -> PixelBuffer {
        var random = Xorshift(state: UInt64(size.width * 4099 + size.height))
        var pixels = try #require(PixelBuffer(size: size, layout: .init(alpha: alpha)))
        pixels.withUnsafeMutableBytes { bytes in
            // Whole blocks of 0 and 255 ring the most.
            for offset in bytes.indices {
                let value = random.next()
                bytes[offset] = value & 1 == 0 ? UInt8(truncatingIfNeeded: value >> 8) : value & 2 == 0 ? 0 : 255
            }
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                if alpha == .opaque { bytes[offset + 3] = 255 }
                if alpha == .straight { continue }
                for channel in 0..<3 { bytes[offset + channel] = min(bytes[offset + channel], bytes[offset + 3]) }
            }
        }
        return pixels
    }

    /// The definition, one multiplication at a time: narrowed to 6 bits of fraction, then added up downwards.
    private func plain(_ source: PixelBuffer, _ work: Work) throws -> [UInt8] {
        let part = work.part ?? ImageRect(source.size)
        let across = ResamplingAxis(
            sourceCount: source.width, origin: part.x, extent: part.width, targetCount: work.target.width,
            filter: work.filter)
        let down = ResamplingAxis(
            sourceCount: source.height, origin: part.y, extent: part.height, targetCount: work.target.height,
            filter: work.filter)
        let samples = source.samples
        func narrowed(_ x: Int, _ y: Int, _ channel: Int) -> Int {
            let sum = (Int(across.starts[x])..<across.end(x)).reduce(0) {
                $0 + Int(across.weight(x, $1)) * Int(samples[(y * source.width + $1) * 4 + channel])
            }
            return max(-32768, min(32767, (sum + 128) >> 8))
        }
        var result: [UInt8] = []
        for x in 0..<work.target.width {
            let columns = (0..<4).map { channel in (0..<source.height).map { narrowed(x, $0, channel) } }
            for y in 0..<work.target.height {
                var pixel = columns.map { column in
                    let sum = (Int(down.starts[y])..<down.end(y)).reduce(0) {
                        $0 + Int(down.weight(y, $1)) * column[$1]
                    }
                    return max(0, min(255, (sum + (1 << 19)) >> 20))
                }
                if work.alpha == .opaque { pixel[3] = 255 }
                result += pixel.map { UInt8(min($0, pixel[3])) }
            }
        }
        // From columns of pixels to rows.
        return (0..<work.target.height).flatMap { y in
            (0..<work.target.width).flatMap { x in
                let start = (x * work.target.height + y) * 4
                return result[start..<start + 4]
            }
        }
    }
}

/// Marsaglia's generator, the same numbers each time.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

extension PixelBuffer {
    fileprivate var samples: [UInt8] { withUnsafeBytes { Array($0) } }

    fileprivate func pixel(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        withUnsafeRow(y) { $0.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self) }
    }

    fileprivate func half(_ x: Int, _ y: Int) -> SIMD4<Float> {
        withUnsafeRow(y) { SIMD4<Float>($0.loadUnaligned(fromByteOffset: x * 8, as: SIMD4<Float16>.self)) }
    }
}

private func abs(_ value: SIMD4<Float>) -> SIMD4<Float> {
    value.replacing(with: -value, where: value .< 0)
}
