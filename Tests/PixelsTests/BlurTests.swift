import Foundation
import Testing
import WebImagePixels

@Suite("Blurring")
struct BlurTests {
    private let brown = PixelColor(200, 100, 50)

    @Test(
        "B39 flat stays flat up to the edge, whatever the radius",
        arguments: [0.3, 1, 2.9, 3, 5, 63, 100, Double.infinity])
    func B39_flat(_ radius: Double) throws {
        for size in [PixelSize(16, 16), PixelSize(1, 1), PixelSize(1, 50), PixelSize(50, 1), PixelSize(17, 400)] {
            let source = flat(size.width, size.height, brown)
            let result = try #require(source.blurred(radius: radius))
            #expect(result.bytes == source.bytes && result.alpha == .opaque)
        }
    }

    @Test(
        "B39 no radius changes no byte, and no number is no picture",
        arguments: [0.0, -1, -Double.infinity, 0.1, 1e-200, .leastNonzeroMagnitude])
    func B39_nothing(_ radius: Double) throws {
        var dice = Dice(1)
        let source = noise(PixelSize(9, 7), &dice)
        #expect(source.blurred(radius: radius)?.bytes == source.bytes)
        #expect(source.blurred(radius: .nan) == nil)
    }

    @Test("B39 the colour of invisible pixels does not bleed")
    func B39_halo() throws {
        let row = (0..<16).map { $0 < 8 ? PixelColor(255, 0, 0) : PixelColor(0, 255, 0, 0) }
        let result = try #require(picture(Array(repeating: row, count: 16)).blurred(radius: 3))
        for y in 0..<16 {
            let colors = try (0..<16).map { try #require(result.color(x: $0, y: y)) }
            for color in colors where color.alpha >= 8 { #expect(color.green <= 4 && color.red >= 250) }
            #expect(zip(colors, colors.dropFirst()).allSatisfy { $0.alpha >= $1.alpha } && colors[15].alpha < 60)
        }
    }

    @Test("The mean error to a true Gaussian is at most 2/255", arguments: [0.5, 2, 3, 4, 10])
    func gaussian(_ radius: Double) throws {
        var dice = Dice(7)
        let size = PixelSize(40, 33)
        // Blocks: noise alone would all but vanish.
        let coarse = noise(PixelSize(4, 4), &dice)
        let rows = (0..<size.height).map { y in
            (0..<size.width).map { x in coarse.color(x: x / 10, y: y / 10)! }
        }
        let source = picture(rows).withAlpha(.premultiplied)
        let result = try #require(source.blurred(radius: radius))
        let expected = trueGaussian(source, radius)
        let errors = zip(result.bytes, expected).map { abs(Double($0) - $1) }
        #expect(errors.reduce(0, +) / Double(errors.count) <= 2)
        #expect(result.isPremultiplied)
    }

    @Test("The vector kernels give what the definition gives, on random sizes and radii")
    func vectorsAndScalars() throws {
        var dice = Dice(42)
        for round in 0..<10 {
            let size = PixelSize(.random(in: 1...40, using: &dice), .random(in: 1...40, using: &dice))
            let radius = round % 2 == 0 ? Double.random(in: 0.2..<3, using: &dice) : .random(in: 3...40, using: &dice)
            let source = noise(size, &dice)
            let result = try #require(source.blurred(radius: radius, .best))
            #expect(result.bytes == source.blurred(radius: radius, .baseline)?.bytes)
            #expect(result.bytes == scalarBlur(source, radius), "\(size) by \(radius)")
        }
        // Boxes of 128 pixels and more are added up in wider registers.
        let wide = noise(PixelSize(280, 1), &dice)
        let result = try #require(wide.blurred(radius: 140, .best))
        #expect(result.bytes == wide.blurred(radius: 140, .baseline)?.bytes && result.bytes == scalarBlur(wide, 140))
    }

    @Test("Half floats are blurred as bytes are", arguments: [0.7, 2, 3, 9, 400])
    func halves(_ radius: Double) throws {
        var dice = Dice(5)
        let source = noise(PixelSize(23, 31), &dice)
        let half = try halfFloats(source.bytes.map { Float($0) / 255 }, source.size)
        let expected = try #require(source.blurred(radius: radius)).bytes
        let result = try #require(half.blurred(radius: radius)).halves
        // Bytes are rounded after each of up to six boxes.
        #expect(zip(result, expected).allSatisfy { abs($0 * 255 - Float($1)) <= 3.2 })
    }

    @Test("Half floats: flat stays flat, beyond white too; what is no number does not spread", arguments: [1, 3, 50.0])
    func strangeHalves(_ radius: Double) throws {
        let size = PixelSize(40, 9)
        let bright = try halfFloats((0..<360).flatMap { _ in [4.25, 0.1, 65504, 1] }, size)
        #expect(bright.blurred(radius: radius)?.bytes == bright.bytes)
        #expect(bright.filtered(.sharpen(radius: radius, amount: 3))?.bytes == bright.bytes)
        let strange = try halfFloats(
            (0..<360).flatMap { [$0 == 99 ? .infinity : 0.5, $0 == 99 ? .nan : 0.5, 0, 1] }, size)
        #expect(try #require(strange.blurred(radius: radius)).halves.allSatisfy(\.isFinite))
        #expect(try #require(strange.filtered(.sharpen(radius: radius))).halves.allSatisfy(\.isFinite))
        #expect(bright.blurred(radius: .nan) == nil && bright.blurred(radius: 0)?.bytes == bright.bytes)
    }

    private func halfFloats(_ samples: [Float], _ size: PixelSize) throws -> PixelBuffer {
        var result = try #require(PixelBuffer(size: size, layout: .init(format: .rgbaHalf)))
        result.withUnsafeMutableBytes { bytes in
            for (index, sample) in samples.enumerated() {
                bytes.storeBytes(of: Float16(sample), toByteOffset: index * 2, as: Float16.self)
            }
        }
        return result
    }

    private func trueGaussian(_ source: PixelBuffer, _ radius: Double) -> [Double] {
        let reach = Int(radius * 5) + 2
        let raw = (-reach...reach).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let weights = raw.map { $0 / raw.reduce(0, +) }
        return separably(source.bytes.map(Double.init), source.size) { line in
            line.indices.map { place in
                var sum = 0.0
                for (tap, weight) in weights.enumerated() {
                    let source = min(max(place + tap - reach, 0), line.count - 1)
                    sum += weight * line[source]
                }
                return sum
            }
        }
    }

    private func scalarBlur(_ source: PixelBuffer, _ radius: Double) -> [UInt8] {
        let bytes = separably(source.bytes.map(Int.init), source.size) { line in
            guard let kernel = BlurKernel(deviation: min(radius, Double(line.count) / 2)) else { return line }
            switch kernel {
            case .weights(let weights): return line.indices.map { weighted(line, around: $0, weights) }
            case .boxes(let boxes):
                let margin = (boxes.reduce(0, +) - 3) / 2
                let padded = Array(repeating: line[0], count: margin) + line
                return boxes.reduce(padded + Array(repeating: line[line.count - 1], count: margin), box)
            }
        }
        return bytes.map { UInt8(clamping: $0) }
    }

    private func weighted(_ line: [Int], around place: Int, _ weights: [UInt16]) -> Int {
        var sum = 32768
        for (tap, weight) in weights.enumerated() {
            let source = min(max(place + tap - weights.count / 2, 0), line.count - 1)
            sum += Int(weight) * line[source]
        }
        return sum >> 16
    }

    private func box(_ line: [Int], _ width: Int) -> [Int] {
        let reciprocal = (65536 + width / 2) / width
        return (0...line.count - width).map { first in
            let sum = line[first..<first + width].reduce(0, +)
            guard width >= 128 else { return ((sum + width / 2) * reciprocal) >> 16 }
            return Int(Float(sum) * (1 / Float(width)) + 0.5)
        }
    }

    /// Does something to each channel's columns, then to its rows.
    private func separably<Number>(_ bytes: [Number], _ size: PixelSize, _ change: ([Number]) -> [Number]) -> [Number] {
        var result = bytes
        let rowBytes = size.width * 4
        for sideways in [false, true] {
            let (count, step) = sideways ? (size.width, 4) : (size.height, rowBytes)
            let (others, otherStep) = sideways ? (size.height, rowBytes) : (size.width, 4)
            for start in (0..<others).flatMap({ other in (0..<4).map { other * otherStep + $0 } }) {
                let places = (0..<count).map { start + $0 * step }
                let changed = change(places.map { result[$0] })
                for (place, value) in zip(places, changed) { result[place] = value }
            }
        }
        return result
    }
}

extension PixelBuffer {
    fileprivate var halves: [Float] {
        withUnsafeBytes { bytes in bytes.bindMemory(to: Float16.self).map(Float.init) }
    }
}
