import WebImageColor

/// What each palette index of a frame looks like.
enum GIFPalette {
    /// RGBA in memory order for each of 256 indices. Those that the palette does not have are black; the transparent
    /// one is 0.
    static func colors(
        _ entries: UnsafeRawBufferPointer?, transparentIndex: Int?, _ transform: ColorTransform?
    ) -> [UInt32] {
        var colors = [UInt32](repeating: pixel(0, 0, 0), count: 256)
        if let entries = unsafe entries {
            for index in 0..<min(256, entries.count / 3) {
                unsafe colors[index] = pixel(entries[index * 3], entries[index * 3 + 1], entries[index * 3 + 2])
            }
            unsafe colors.withUnsafeMutableBytes { unsafe transform?.apply($0) }
        }
        if let transparentIndex { colors[transparentIndex] = 0 }
        return colors
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        unsafe unsafeBitCast(SIMD4(red, green, blue, 255), to: UInt32.self)
    }
}
