extension PixelBuffer {
    /// The picture turned and mirrored so that it stands upright. Exact: pixels move, none changes.
    public func upright(from orientation: Orientation) -> PixelBuffer {
        guard orientation != .up else { return self }
        switch format {
        case .rgba8: return moved(orientation, pixel: UInt32.self)
        case .rgbaHalf: return moved(orientation, pixel: UInt64.self)
        }
    }

    private func moved<Pixel: BitwiseCopyable>(_ orientation: Orientation, pixel: Pixel.Type) -> PixelBuffer {
        guard var result = PixelBuffer(uninitialized: orientation.upright(size), layout: layout) else { return self }
        let targetStride = result.bytesPerRow
        unsafe withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBytes { target in
                let map = PixelMap(orientation, stored: size)
                for y in 0..<height {
                    for x in 0..<width {
                        let (targetX, targetY) = map.upright(x, y)
                        let value = unsafe source.loadUnaligned(
                            fromByteOffset: y * bytesPerRow + x * MemoryLayout<Pixel>.size, as: Pixel.self)
                        unsafe target.storeBytes(
                            of: value, toByteOffset: targetY * targetStride + targetX * MemoryLayout<Pixel>.size,
                            as: Pixel.self)
                    }
                }
            }
        }
        return result
    }
}

/// Where a stored pixel stands in the upright picture: a sum of multiples of its coordinates.
private struct PixelMap {
    private let x: SIMD4<Int>
    private let y: SIMD4<Int>

    init(_ orientation: Orientation, stored size: PixelSize) {
        let right = size.width - 1
        let bottom = size.height - 1
        // Factor of x, factor of y, constant.
        switch orientation {
        case .up: (x, y) = ([1, 0, 0, 0], [0, 1, 0, 0])
        case .upMirrored: (x, y) = ([-1, 0, right, 0], [0, 1, 0, 0])
        case .down: (x, y) = ([-1, 0, right, 0], [0, -1, bottom, 0])
        case .downMirrored: (x, y) = ([1, 0, 0, 0], [0, -1, bottom, 0])
        case .leftMirrored: (x, y) = ([0, 1, 0, 0], [1, 0, 0, 0])
        case .right: (x, y) = ([0, -1, bottom, 0], [1, 0, 0, 0])
        case .rightMirrored: (x, y) = ([0, -1, bottom, 0], [-1, 0, right, 0])
        case .left: (x, y) = ([0, 1, 0, 0], [-1, 0, right, 0])
        }
    }

    func upright(_ storedX: Int, _ storedY: Int) -> (x: Int, y: Int) {
        (
            x.x &* storedX &+ x.y &* storedY &+ x.z,
            y.x &* storedX &+ y.y &* storedY &+ y.z
        )
    }
}
