import Testing
import WebImagePixels

@Suite("The kernel of rotation")
struct RotationKernelTests {
    @Test("It gives what the definition gives, within two steps, on random sizes and angles")
    func definition() throws {
        var dice = Dice(77)
        for _ in 0..<8 {
            let size = PixelSize(.random(in: 2...30, using: &dice), .random(in: 2...30, using: &dice))
            let angle = Double.random(in: -4...4, using: &dice)
            let source = noise(size, &dice)
            let result = try #require(source.rotated(by: angle))
            // Half floats take the path without a kernel.
            let expected = try #require(Self.half(source).rotated(by: angle))
            #expect(result.size == expected.size && result.isPremultiplied)
            let bytes = result.bytes
            for y in 0..<result.height {
                expected.withUnsafeRow(y) { row in
                    for place in 0..<result.width * 4 {
                        let value = row.loadUnaligned(fromByteOffset: place * 2, as: Float16.self)
                        let difference = Float(value) * 255 - Float(bytes[y * result.width * 4 + place])
                        #expect(abs(difference) <= 3, "\(size) by \(angle)")
                    }
                }
            }
        }
    }

    private static func half(_ source: PixelBuffer) -> PixelBuffer {
        var result = PixelBuffer(size: source.size, layout: .init(format: .rgbaHalf))!
        let bytes = source.bytes
        result.withUnsafeMutableBytes { target in
            for (place, byte) in bytes.enumerated() {
                target.storeBytes(of: Float16(Float(byte) / 255), toByteOffset: place * 2, as: Float16.self)
            }
        }
        return result
    }
}
