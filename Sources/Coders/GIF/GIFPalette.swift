import WebImageColor

/// What each palette index of a frame looks like.
@safe struct GIFPalette {
    /// RGBA in memory order for each of 256 indices. Those that the palette does not have are black; the transparent
    /// one is 0.
    private var colors = [UInt32](repeating: GIFPalette.pixel(0, 0, 0), count: 256)
    private let transparentIndex: UInt8?

    init(_ entries: UnsafeRawBufferPointer?, transparentIndex: Int?, _ transform: ColorTransform?) {
        self.transparentIndex = transparentIndex.map { UInt8(truncatingIfNeeded: $0) }
        if let entries = unsafe entries {
            for index in 0..<min(256, entries.count / 3) {
                unsafe colors[index] = Self.pixel(entries[index * 3], entries[index * 3 + 1], entries[index * 3 + 2])
            }
            unsafe colors.withUnsafeMutableBytes { unsafe transform?.apply($0) }
        }
        if let index = self.transparentIndex { colors[Int(index)] = 0 }
    }

    /// Gives each pixel the colour of its index, whatever is there.
    func replace(_ pixels: UnsafeMutableRawBufferPointer, with indices: UnsafeRawBufferPointer) {
        guard let target = pixels.baseAddress, let source = indices.baseAddress else { return }
        let count = min(pixels.count / 4, indices.count)
        unsafe colors.withUnsafeBufferPointer { colors in
            let wholeCount = count & ~7
            for x in stride(from: 0, to: wholeCount, by: 8) {
                var eight = unsafe source.loadUnaligned(fromByteOffset: x, as: UInt64.self).littleEndian
                for place in 0..<8 {
                    unsafe Self.put(colors[Int(truncatingIfNeeded: eight & 0xFF)], target, x &+ place)
                    eight &>>= 8
                }
            }
            for x in wholeCount..<count { unsafe Self.put(colors[Self.index(source, x)], target, x) }
        }
    }

    /// Does the same but for the transparent index, which leaves the pixel as it is.
    func draw(_ indices: UnsafeRawBufferPointer, on pixels: UnsafeMutableRawBufferPointer) {
        guard let transparentIndex else { return unsafe replace(pixels, with: indices) }
        guard let target = pixels.baseAddress, let source = indices.baseAddress else { return }
        let count = min(pixels.count / 4, indices.count)
        let eightHoles = UInt64(transparentIndex) &* 0x0101_0101_0101_0101
        unsafe colors.withUnsafeBufferPointer { colors in
            var x = 0
            while x < count {
                // Most of a frame that changes little is holes.
                if x &+ 8 <= count, unsafe source.loadUnaligned(fromByteOffset: x, as: UInt64.self) == eightHoles {
                    x &+= 8
                    continue
                }
                for place in x..<min(count, x &+ 8) {
                    let color = unsafe colors[Self.index(source, place)]
                    let present = unsafe target.load(fromByteOffset: place &* 4, as: UInt32.self)
                    unsafe Self.put(color == 0 ? present : color, target, place)
                }
                x &+= 8
            }
        }
    }

    @inline(__always) private static func index(_ source: UnsafeRawPointer, _ x: Int) -> Int {
        unsafe Int(source.load(fromByteOffset: x, as: UInt8.self))
    }

    @inline(__always) private static func put(_ color: UInt32, _ target: UnsafeMutableRawPointer, _ x: Int) {
        unsafe target.storeBytes(of: color, toByteOffset: x &* 4, as: UInt32.self)
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        unsafe unsafeBitCast(SIMD4(red, green, blue, 255), to: UInt32.self)
    }
}
