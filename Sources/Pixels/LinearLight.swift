/// In which light pixels are weighed together.
public enum ResamplingLight: Sendable, Hashable {
    /// As the samples are stored. What browsers and desktops do; fast. The default.
    case encoded
    /// As light adds up in the eye: samples are decoded by the transfer function of sRGB (IEC 61966-2-1) for the work
    /// and encoded after it. Fine bright detail keeps its brightness. Takes several times as long.
    case linear
}

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

    /// A premultiplied 8-bit pixel as premultiplied light.
    func light(of pixel: SIMD4<UInt8>) -> SIMD4<Float> {
        let color = PixelColor(premultiplied: pixel)
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

extension PixelBuffer {
    /// `resized(to:part:filter:light:)` of an 8-bit picture in linear light.
    func resizedInLinearLight(to target: PixelSize, part: ImageRect?, filter: ResamplingFilter) -> PixelBuffer? {
        let layout = Layout(format: .rgbaHalf, alpha: alpha, colorSpace: .linearSRGB)
        guard var sink = ResamplingSink(source: size, part: part, target: target, filter: filter, layout: layout) else {
            return nil
        }
        for y in 0..<height {
            unsafe withUnsafeRow(y) { row in
                unsafe sink.withNextRow { target in
                    for offset in stride(from: 0, to: row.count, by: 4) {
                        let pixel = unsafe row.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                        unsafe target.storeBytes(
                            of: SIMD4<Float16>(LinearLight.shared.light(of: pixel)), toByteOffset: offset &* 2,
                            as: SIMD4<Float16>.self)
                    }
                }
            }
        }
        return sink.finish().encodedFromLinearLight(self.layout)
    }

    private func encodedFromLinearLight(_ layout: Layout) -> PixelBuffer? {
        guard var result = PixelBuffer(uninitialized: size, layout: layout) else { return nil }
        unsafe withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBytes { (target) -> Void in
                for offset in stride(from: 0, to: target.count, by: 4) {
                    let light = unsafe source.loadUnaligned(fromByteOffset: offset &* 2, as: SIMD4<Float16>.self)
                    unsafe target.storeBytes(
                        of: LinearLight.shared.pixel(of: SIMD4<Float>(light)), toByteOffset: offset,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
        return result
    }
}
