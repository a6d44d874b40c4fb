/// One pixel in memory as four floats, 0…1: how kernels that are not bound by speed see every format alike.
protocol PixelAccess {
    static var byteCount: Int { get }
    static func load(_ place: UnsafeRawPointer) -> SIMD4<Float>
    static func store(_ pixel: SIMD4<Float>, _ place: UnsafeMutableRawPointer)
}

enum EightBitAccess: PixelAccess {
    static let byteCount = 4

    @inline(__always)
    static func load(_ place: UnsafeRawPointer) -> SIMD4<Float> {
        SIMD4<Float>(unsafe place.loadUnaligned(as: SIMD4<UInt8>.self)) * (1 / 255)
    }

    @inline(__always)
    static func store(_ pixel: SIMD4<Float>, _ place: UnsafeMutableRawPointer) {
        // Above 2^23 the unit of a float is 1: the sum is rounded, and its last bits are the number.
        let bits = unsafe unsafeBitCast(pixel.bounded * 255 + 0x1p23, to: SIMD4<UInt32>.self)
        unsafe place.storeBytes(of: SIMD4<UInt8>(truncatingIfNeeded: bits), as: SIMD4<UInt8>.self)
    }
}

enum HalfAccess: PixelAccess {
    static let byteCount = 8

    @inline(__always)
    static func load(_ place: UnsafeRawPointer) -> SIMD4<Float> {
        SIMD4<Float>(unsafe place.loadUnaligned(as: SIMD4<Float16>.self))
    }

    @inline(__always)
    static func store(_ pixel: SIMD4<Float>, _ place: UnsafeMutableRawPointer) {
        unsafe place.storeBytes(of: SIMD4<Float16>(pixel), as: SIMD4<Float16>.self)
    }
}

extension SIMD4<Float> {
    /// Each number brought into 0…1; what is not a number becomes 0, since no comparison holds for it.
    @inline(__always)
    var bounded: SIMD4<Float> {
        let positive = SIMD4<Float>.zero.replacing(with: self, where: self .> 0)
        return positive.replacing(with: 1, where: positive .> 1)
    }
}

extension PixelBuffer {
    /// The picture in a form whose pixels may be mixed.
    var mixable: PixelBuffer { alpha == .straight ? withAlpha(.premultiplied) : self }

    /// Replaces every pixel of a region, which lies within the picture.
    @inline(__always)
    mutating func mapPixels(in region: PixelRect, _ change: (PixelPoint, SIMD4<Float>) -> SIMD4<Float>) {
        switch format {
        case .rgba8: map(EightBitAccess.self, region, change)
        case .rgbaHalf: map(HalfAccess.self, region, change)
        }
    }

    /// Replaces every pixel.
    @inline(__always)
    mutating func mapPixels(_ change: (SIMD4<Float>) -> SIMD4<Float>) {
        mapPixels(in: PixelRect(size)) { change($1) }
    }

    @inline(__always)
    private mutating func map<Access: PixelAccess>(
        _ access: Access.Type, _ region: PixelRect, _ change: (PixelPoint, SIMD4<Float>) -> SIMD4<Float>
    ) {
        let bytesPerRow = bytesPerRow
        unsafe withUnsafeMutableBytes { bytes in
            for y in region.y..<region.y + region.height {
                for x in region.x..<region.x + region.width {
                    let place = unsafe bytes.baseAddress.unsafelyUnwrapped + (y &* bytesPerRow &+ x &* Access.byteCount)
                    unsafe Access.store(change(PixelPoint(x: x, y: y), Access.load(place)), place)
                }
            }
        }
    }
}
