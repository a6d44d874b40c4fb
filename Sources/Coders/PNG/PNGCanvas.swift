import WebImageCore
import WebImagePixels

extension PixelBuffer {
    /// Makes the place of a frame transparent.
    mutating func clear(_ place: FramePlacement) {
        let stride = bytesPerRow
        unsafe withUnsafeMutableBytes { (bytes) -> Void in
            for y in place.y..<place.y + place.size.height {
                let start = y * stride + place.x * 4
                let row = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + place.size.width * 4])
                unsafe row.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    /// Puts a frame in its place. Both are straight RGBA.
    mutating func put(_ frame: PixelBuffer, _ place: FramePlacement, _ blending: PNGFrame.Blending) {
        let stride = bytesPerRow
        unsafe withUnsafeMutableBytes { bytes in
            for y in 0..<frame.height {
                unsafe frame.withUnsafeRow(y) { row in
                    let start = (place.y + y) * stride + place.x * 4
                    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + row.count])
                    switch blending {
                    case .source: unsafe target.copyMemory(from: row)
                    case .over: unsafe blendOver(row, on: target)
                    }
                }
            }
        }
    }
}

/// Lays straight RGBA pixels over others, rounded once at the end.
private func blendOver(_ source: UnsafeRawBufferPointer, on target: UnsafeMutableRawBufferPointer) {
    for offset in stride(from: 0, to: source.count, by: 4) {
        let front = unsafe source.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
        guard front.w != 0 else { continue }
        guard front.w != 255 else {
            unsafe target.storeBytes(of: front, toByteOffset: offset, as: SIMD4<UInt8>.self)
            continue
        }
        let back = unsafe target.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
        unsafe target.storeBytes(of: blended(front, over: back), toByteOffset: offset, as: SIMD4<UInt8>.self)
    }
}

private func blended(_ front: SIMD4<UInt8>, over back: SIMD4<UInt8>) -> SIMD4<UInt8> {
    let frontWeight = UInt32(front.w) * 255
    let backWeight = UInt32(back.w) * (255 - UInt32(front.w))
    let sum = frontWeight + backWeight
    let weighted =
        SIMD4<UInt32>(truncatingIfNeeded: front) &* frontWeight
        &+ SIMD4<UInt32>(truncatingIfNeeded: back) &* backWeight
    var result = (weighted &* 2 &+ sum) / (sum &* 2)
    result.w = (sum * 2 + 255) / 510
    return SIMD4<UInt8>(truncatingIfNeeded: result)
}
