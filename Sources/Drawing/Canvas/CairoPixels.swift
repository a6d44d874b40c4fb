/// The order of cairo's pixels: B, G, R, A in memory, as all platforms are little-endian.
enum CairoPixels {
    /// Exchanges red and blue, in place: from our order to cairo's, and back.
    ///
    /// - Parameters:
    ///   - bytes: Whole pixels, 4 bytes each.
    ///   - filling: Set in every pixel: all of alpha for a picture without, whose fourth byte cairo leaves as it is.
    static func exchangeRedAndBlue(_ bytes: UnsafeMutableRawBufferPointer, filling: UInt32 = 0) {
        let count = bytes.count & ~3
        var offset = 0
        while offset + 32 <= count {
            let pixels = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt32>.self)
            let low = SIMD8<UInt32>(repeating: 0x0000_00FF)
            let swapped =
                (pixels & SIMD8(repeating: 0xFF00_FF00)) | ((pixels & low) &<< 16) | ((pixels &>> 16) & low)
            unsafe bytes.storeBytes(
                of: swapped | SIMD8(repeating: filling), toByteOffset: offset, as: SIMD8<UInt32>.self)
            offset &+= 32
        }
        while offset < count {
            let pixel = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let swapped = (pixel & 0xFF00_FF00) | ((pixel & 0xFF) << 16) | ((pixel >> 16) & 0xFF)
            unsafe bytes.storeBytes(of: swapped | filling, toByteOffset: offset, as: UInt32.self)
            offset &+= 4
        }
    }
}
