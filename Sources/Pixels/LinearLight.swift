/// The transfer function of sRGB, both ways, as tables.
package struct LinearLight: Sendable {
    package static let shared = LinearLight()

    /// So fine that an encoded value survives decoding and encoding.
    private static let steps = 1 << 14
    private let decoded = (0...255).map { Float(LinearLight.decode(Double($0) / 255)) }
    private let encoded = (0...LinearLight.steps).map { step in
        UInt8((LinearLight.encode(Double(step) / Double(LinearLight.steps)) * 255).rounded())
    }

    private static func decode(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4)
    }

    private static func encode(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : power(light, 1 / 2.4) * 1.055 - 0.055
    }

    /// An 8-bit pixel as premultiplied light.
    func light(of pixel: SIMD4<UInt8>, _ alpha: AlphaMode) -> SIMD4<Float> {
        let color = alpha == .premultiplied ? PixelColor(premultiplied: pixel) : PixelColor(pixel)
        let light = SIMD4(decoded[Int(color.red)], decoded[Int(color.green)], decoded[Int(color.blue)], 1)
        return light * (Float(pixel.w) / 255)
    }

    /// Premultiplied light as a premultiplied 8-bit pixel.
    package func pixel(of light: SIMD4<Float>) -> SIMD4<UInt8> {
        let alpha = min(max(light.w, 0), 1)
        guard alpha > 0 else { return .zero }
        var straight = (light / alpha).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 1))
        straight = (straight * Float(Self.steps)).rounded(.toNearestOrAwayFromZero)
        let colors = SIMD4<Float>(
            Float(encoded[Int(straight.x)]), Float(encoded[Int(straight.y)]), Float(encoded[Int(straight.z)]), 255)
        let alphaByte = (alpha * 255).rounded()
        return SIMD4<UInt8>((colors * (alphaByte / 255)).rounded(.toNearestOrAwayFromZero))
    }
}
