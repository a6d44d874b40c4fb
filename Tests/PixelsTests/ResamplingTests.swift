import Testing
import WebImagePixels

@Suite("Resampling")
struct ResamplingTests {
    @Test("A flat picture stays flat to the last pixel, smaller and larger", arguments: [1, 3, 7, 64, 200])
    func flatStaysFlat(_ side: Int) throws {
        let color = PixelColor(200, 100, 50)
        let source = picture(Array(repeating: Array(repeating: color, count: 61), count: 43))
        let result = try #require(source.resized(to: PixelSize(side, side + 1)))
        for y in 0..<result.height {
            for x in 0..<result.width { #expect(result.color(x: x, y: y) == color) }
        }
    }

    @Test("S5 white stays white at the right and bottom edges")
    func whiteEdges() throws {
        let white = PixelColor(255, 255, 255)
        let source = picture(Array(repeating: Array(repeating: white, count: 181), count: 121))
        let result = try #require(source.resized(to: PixelSize(20, 14)))
        #expect((0..<20).allSatisfy { result.color(x: $0, y: 13) == white })
        #expect((0..<14).allSatisfy { result.color(x: 19, y: $0) == white })
    }

    @Test("S5 white stays white at an awkward ratio", arguments: ResamplingFilter.allCases)
    func S5_white(_ filter: ResamplingFilter) throws {
        var source = try #require(PixelBuffer(size: PixelSize(1801, 1201), layout: .init(alpha: .opaque)))
        source.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 255) }
        let size = source.size.fitted(in: ImageSize(200, 0))
        let result = try #require(source.resized(to: size, resampling: Resampling(filter)))
        #expect(result.size == size && result.withUnsafeBytes { $0.allSatisfy { $0 >= 254 } })
    }

    @Test("A transparent picture stays without colour; ringing never lifts a colour above its alpha")
    func alpha() throws {
        let clear = try #require(PixelBuffer(size: PixelSize(31, 17))?.resized(to: PixelSize(9, 40)))
        #expect(clear.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
        let rows = (0..<40).map { y in
            (0..<40).map { x in (x / 5 + y / 3) % 2 == 0 ? PixelColor(255, 255, 255, 128) : PixelColor.clear }
        }
        let source = picture(rows).withAlpha(.premultiplied)
        for size in [PixelSize(13, 27), PixelSize(67, 71)] {
            let result = try #require(source.resized(to: size))
            result.withUnsafeBytes { bytes in
                for pixel in stride(from: 0, to: bytes.count, by: 4) {
                    #expect(bytes[pixel..<pixel + 3].max() ?? 255 <= bytes[pixel + 3])
                }
            }
        }
    }

    @Test("The box is the mean of what a pixel covers, nearest is the pixel under its centre")
    func plainFilters() throws {
        let source = picture([[0, 30, 60, 90, 120].map { PixelColor($0, 0, 0) }])
        func reds(_ filter: ResamplingFilter, _ width: Int) throws -> [UInt8] {
            let result = try #require(source.resized(to: PixelSize(width, 1), resampling: Resampling(filter)))
            return try (0..<width).map { try #require(result.color(x: $0, y: 0)).red }
        }
        #expect(try reds(.box, 1) == [60])
        // 0 and 30 whole, half of 60: 60 / 2.5; the other half, 90 and 120.
        #expect(try reds(.box, 2) == [24, 96])
        #expect(try reds(.nearest, 2) == [30, 90])
        #expect(try reds(.nearest, 10) == [0, 0, 30, 30, 60, 60, 90, 90, 120, 120])
        #expect(try reds(.box, 10) == [0, 0, 30, 30, 60, 60, 90, 90, 120, 120])
        // Between the outermost centres a triangle is straight.
        #expect(try reds(.bilinear, 10) == [0, 8, 23, 38, 53, 68, 83, 98, 113, 120])
    }

    @Test("In linear light half black and half white is as bright as both together")
    func linearLight() throws {
        let rows = (0..<8).map { y in
            (0..<8).map { x in (x + y) % 2 == 0 ? PixelColor(255, 255, 255) : PixelColor(0, 0, 0) }
        }
        let source = picture(rows)
        let size = PixelSize(2, 2)
        #expect(try #require(source.resized(to: size, resampling: .box)).color(x: 0, y: 0)?.red == 128)
        // Half the light is 0.735 encoded.
        let linear = try #require(source.resized(to: size, resampling: Resampling(.box, light: .linear)))
        let lanczos = Resampling(.lanczos3, light: .linear)
        #expect(linear.color(x: 1, y: 1) == PixelColor(188, 188, 188))
        #expect(linear.layout == PixelBuffer.Layout())
        // A flat colour, of any alpha, stays; nothing is mixed with what is transparent.
        for value in stride(from: 0, through: 255, by: 5) {
            let color = PixelColor(UInt8(value), 40, 200)
            let flat = picture(Array(repeating: Array(repeating: color, count: 3), count: 3))
            #expect(flat.resized(to: PixelSize(2, 5), resampling: lanczos)?.color(x: 1, y: 2) == color)
        }
        let clear = try #require(PixelBuffer(size: PixelSize(4, 4))?.resized(to: size, resampling: lanczos))
        #expect(clear.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
    }

    @Test("The colour of transparent pixels does not bleed")
    func noHalo() throws {
        let red = PixelColor(255, 0, 0)
        let hiddenGreen = PixelColor(0, 255, 0, 0)
        let row = (0..<16).map { $0 < 8 ? red : hiddenGreen }
        let result = try #require(picture(Array(repeating: row, count: 16)).resized(to: PixelSize(5, 5)))
        for x in 0..<5 {
            let color = try #require(result.color(x: x, y: 2))
            if color.alpha >= 8 { #expect(color.green <= 4 && color.red >= 250) }
        }
        #expect(try #require(result.color(x: 0, y: 2)).alpha > 240)
        #expect(try #require(result.color(x: 4, y: 2)).alpha < 12)
    }

    @Test("A ramp keeps its values where it is sampled: no shift by half a pixel")
    func noShift() throws {
        let row = (0..<64).map { PixelColor(UInt8($0 * 4), 0, 0) }
        let result = try #require(picture(Array(repeating: row, count: 8)).resized(to: PixelSize(32, 4)))
        // The centre of target pixel x lies at 2x + 1 of the source, between samples 2x and 2x + 1.
        for x in 4..<28 {
            let value = try #require(result.color(x: x, y: 1)).red
            #expect(abs(Int(value) - (x * 8 + 2)) <= 1)
        }
    }

    @Test("A part of a picture is what is shown")
    func part() throws {
        let source = picture([
            [PixelColor(255, 0, 0), PixelColor(0, 0, 255)], [PixelColor(255, 0, 0), PixelColor(0, 0, 255)],
        ])
        let left = try #require(
            source.resized(to: PixelSize(1, 1), part: ImageRect(x: 0, y: 0, width: 0.01, height: 2)))
        #expect(try #require(left.color(x: 0, y: 0)).red > 200)
    }

    @Test("Half floats give the same picture as bytes, within rounding")
    func halfFloats() throws {
        var random = SystemRandomNumberGenerator()
        let rows = (0..<24).map { _ in
            (0..<24).map { _ in PixelColor(.random(in: 0...255, using: &random), 40, 90) }
        }
        let bytes = picture(rows)
        var halves = try #require(
            PixelBuffer(size: bytes.size, layout: .init(format: .rgbaHalf, alpha: .opaque)))
        halves.withUnsafeMutableBytes { target in
            for (index, color) in rows.joined().enumerated() {
                let value = SIMD4<Float>(Float(color.red), Float(color.green), Float(color.blue), 255) / 255
                target.storeBytes(of: SIMD4<Float16>(value), toByteOffset: index * 8, as: SIMD4<Float16>.self)
            }
        }
        let first = try #require(bytes.resized(to: PixelSize(9, 7)))
        let second = try #require(halves.resized(to: PixelSize(9, 7)))
        for y in 0..<7 {
            for x in 0..<9 {
                let one = try #require(first.color(x: x, y: y))
                let other = try #require(second.color(x: x, y: y))
                #expect(abs(Int(one.red) - Int(other.red)) <= 1)
            }
        }
    }

    @Test("A very long row is averaged, not cut to its first pixel")
    func extremeReduction() throws {
        let row = (0..<70_000).map { PixelColor($0 < 35_000 ? 0 : 200, 0, 0) }
        let result = try #require(picture([row]).resized(to: PixelSize(1, 1)))
        let red = try #require(result.color(x: 0, y: 0)).red
        #expect((90...110).contains(red))
    }

    @Test("What cannot be made is refused")
    func refused() {
        let source = picture([[PixelColor(1, 2, 3)]])
        #expect(source.resized(to: PixelSize(0, 4)) == nil)
        let parts: [(Double, Double, Double, Double)] = [
            (0, 0, 0, 1), (.nan, 0, 1, 1), (0, 0, .infinity, 1), (1e300, 0, 1, 1), (0, 3, 1, 1), (-9, 0, 1, 1),
        ]
        for (x, y, width, height) in parts {
            let part = ImageRect(x: x, y: y, width: width, height: height)
            #expect(source.resized(to: PixelSize(4, 4), part: part) == nil)
        }
        let layout = PixelBuffer.Layout(format: .rgbaHalf, alpha: .straight)
        #expect(ResamplingSink(source: PixelSize(4, 4), target: PixelSize(2, 2), layout: layout) == nil)
    }

    /// The value of a Lanczos filter of three lobes, in floating point, as another program would compute it.
    @Test("Each pixel is what the filter's definition says, within one step")
    func definition() throws {
        let values = (0..<37).map { UInt8(($0 * 97 + 13) % 256) }
        let source = picture([values.map { PixelColor($0, $0, $0) }])
        let result = try #require(source.resized(to: PixelSize(11, 1)))
        for x in 0..<11 {
            let scale = 37.0 / 11
            let centre = (Double(x) + 0.5) * scale
            var sum = 0.0
            var total = 0.0
            for (index, value) in values.enumerated() {
                let distance = (Double(index) + 0.5 - centre) / scale
                guard abs(distance) < 3 else { continue }
                let weight = sinc(distance) * sinc(distance / 3)
                sum += weight * Double(value)
                total += weight
            }
            let expected = min(255, max(0, sum / total))
            #expect(abs(Double(try #require(result.color(x: x, y: 0)).red) - expected) <= 1)
        }
    }

    private func sinc(_ x: Double) -> Double {
        guard x != 0 else { return 1 }
        // sin πx by its product formula would be slow; a plain series is good to 1e-12 on ±3.
        let angle = Double.pi * x
        var term = angle
        var sum = angle
        for n in stride(from: 2.0, through: 60, by: 2) {
            term *= -angle * angle / (n * (n + 1))
            sum += term
        }
        return sum / angle
    }
}
