extension PixelBuffer {
    /// The picture turned and mirrored so that it stands upright. Exact: pixels move, none changes.
    public func upright(from orientation: Orientation) -> PixelBuffer {
        guard orientation != .up else { return self }
        guard let result = PixelBuffer(uninitialized: orientation.upright(size), layout: layout) else { return self }
        return moved(orientation, rowCount: height, to: result)
    }

    /// A picture of the first rows, turned as above; the others are transparent. Copies, so that the rows to come can
    /// be written where they belong.
    package func upright(from orientation: Orientation, rowCount: Int) -> PixelBuffer {
        guard let result = PixelBuffer(size: orientation.upright(size), layout: layout) else { return self }
        return moved(orientation, rowCount: max(0, min(height, rowCount)), to: result)
    }

    private func moved(_ orientation: Orientation, rowCount: Int, to result: consuming PixelBuffer) -> PixelBuffer {
        if orientation == .up { return copied(rowCount, to: result) }
        switch format {
        case .rgba8: return moved(orientation, rowCount, to: result, UInt32.self)
        case .rgbaHalf: return moved(orientation, rowCount, to: result, UInt64.self)
        }
    }

    private func copied(_ rowCount: Int, to result: consuming PixelBuffer) -> PixelBuffer {
        let byteCount = rowCount * bytesPerRow
        unsafe withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBytes { target in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<byteCount]))
            }
        }
        return result
    }

    private func moved<Pixel: BitwiseCopyable>(
        _ orientation: Orientation, _ rowCount: Int, to result: consuming PixelBuffer, _ pixel: Pixel.Type
    ) -> PixelBuffer {
        let map = PixelMap(orientation, stored: size)
        let steps = map.steps(pixelSize: MemoryLayout<Pixel>.size, bytesPerRow: result.bytesPerRow)
        unsafe withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBytes { target in
                // In tiles: a turned row is a column, each of whose pixels lies in a cache line and page of its own.
                for top in stride(from: 0, to: rowCount, by: tileSide) {
                    for left in stride(from: 0, to: width, by: tileSide) {
                        let columns = left..<min(width, left + tileSide)
                        for y in top..<min(rowCount, top + tileSide) {
                            unsafe move(columns, of: y, source, to: target, steps, Pixel.self)
                        }
                    }
                }
            }
        }
        return result
    }

    /// Two tiles of 32-bit pixels fit the cache nearest to the processor, and what they span fits its list of pages.
    private var tileSide: Int { 64 }

    @inline(__always)
    private func move<Pixel: BitwiseCopyable>(
        _ columns: Range<Int>, of y: Int, _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer,
        _ steps: PixelMap.Steps, _ pixel: Pixel.Type
    ) {
        var from = y &* bytesPerRow &+ columns.lowerBound &* MemoryLayout<Pixel>.size
        var place = steps.start &+ y &* steps.y &+ columns.lowerBound &* steps.x
        for _ in columns {
            let value = unsafe source.loadUnaligned(fromByteOffset: from, as: Pixel.self)
            unsafe target.storeBytes(of: value, toByteOffset: place, as: Pixel.self)
            from &+= MemoryLayout<Pixel>.size
            place &+= steps.x
        }
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

    /// How many bytes further in the upright picture the first pixel stands, and the next to the right and below.
    struct Steps {
        let start: Int
        let x: Int
        let y: Int
    }

    func steps(pixelSize: Int, bytesPerRow: Int) -> Steps {
        Steps(
            start: x.z * pixelSize + y.z * bytesPerRow, x: x.x * pixelSize + y.x * bytesPerRow,
            y: x.y * pixelSize + y.y * bytesPerRow)
    }
}
