import WebImagePixels

/// The pixels of a cairo surface.
enum CairoPixels {
    /// Makes R, G, B, A with straight alpha of cairo's pixels, in place: each a 32-bit number in the order of this
    /// machine, alpha highest, colour multiplied by it.
    ///
    /// - Returns: Whether any pixel is not opaque.
    static func makeStraightRGBA(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var cover: UInt32 = 0xFF
        for offset in stride(from: 0, to: bytes.count & ~3, by: 4) {
            let pixel = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let alpha = pixel >> 24
            cover &= alpha
            // 0xAARRGGBB, turned by a byte, is the big-endian form of R, G, B, A.
            unsafe bytes.storeBytes(of: (pixel << 8 | alpha).bigEndian, toByteOffset: offset, as: UInt32.self)
        }
        guard cover != 0xFF else { return false }
        unsafe unpremultiply(bytes)
        return true
    }
}
