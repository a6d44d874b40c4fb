/// A rectangle of whole pixels; the origin is the top left corner.
public struct PixelRect: Hashable, Sendable {
    /// The left edge.
    public var x: Int
    /// The top edge.
    public var y: Int
    /// From left to right.
    public var width: Int
    /// From top to bottom.
    public var height: Int

    /// A rectangle by its top left corner and its size.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of a picture of the given size.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Width and height.
    public var size: PixelSize { PixelSize(width, height) }

    /// The part of this rectangle that lies in a picture of the given size; `nil` where nothing does, as of a
    /// rectangle without area. Any numbers may stand in it.
    public func clipped(to size: PixelSize) -> PixelRect? {
        guard let columns = Self.clipped(x, width, to: size.width), let rows = Self.clipped(y, height, to: size.height)
        else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func clipped(_ start: Int, _ length: Int, to count: Int) -> Range<Int>? {
        guard length > 0 else { return nil }
        let (end, overflow) = start.addingReportingOverflow(length)
        let first = max(0, start)
        let last = overflow ? count : min(count, end)
        return first < last ? first..<last : nil
    }
}

extension PixelRect: CustomStringConvertible {
    /// `640×480 at (10,20)`.
    public var description: String { "\(size) at (\(x),\(y))" }
}

extension Orientation {
    /// Where a part of the upright picture lies in the stored one.
    ///
    /// - Parameters:
    ///   - rect: Inside the picture.
    ///   - size: The size of the upright picture.
    public func stored(_ rect: PixelRect, of size: PixelSize) -> PixelRect {
        let fromRight = size.width - rect.x - rect.width
        let fromBottom = size.height - rect.y - rect.height
        return switch self {
        case .up: rect
        case .upMirrored: PixelRect(x: fromRight, y: rect.y, width: rect.width, height: rect.height)
        case .down: PixelRect(x: fromRight, y: fromBottom, width: rect.width, height: rect.height)
        case .downMirrored: PixelRect(x: rect.x, y: fromBottom, width: rect.width, height: rect.height)
        case .leftMirrored: PixelRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width)
        case .right: PixelRect(x: rect.y, y: fromRight, width: rect.height, height: rect.width)
        case .rightMirrored: PixelRect(x: fromBottom, y: fromRight, width: rect.height, height: rect.width)
        case .left: PixelRect(x: fromBottom, y: rect.x, width: rect.height, height: rect.width)
        }
    }
}

extension PixelBuffer {
    /// A copy of a part of the picture, exact; the part is clipped to the picture, and the whole is not copied.
    ///
    /// - Returns: `nil` when nothing of the part lies in the picture.
    public func cropped(to rect: PixelRect) -> PixelBuffer? {
        guard let rect = rect.clipped(to: size) else { return nil }
        if rect.size == size { return self }
        guard var result = PixelBuffer(uninitialized: rect.size, layout: layout) else { return nil }
        let (targetStride, start) = (result.bytesPerRow, rect.x * format.bytesPerPixel)
        let byteCount = rect.width * format.bytesPerPixel
        unsafe result.withUnsafeMutableBytes { (target) -> Void in
            for y in 0..<rect.height {
                unsafe withUnsafeRow(rect.y + y) { row in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: row[start..<start + byteCount])
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[(y * targetStride)...]).copyMemory(from: part)
                }
            }
        }
        return result
    }
}
