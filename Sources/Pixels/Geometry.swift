/// The size of a picture in whole pixels.
public struct PixelSize: Hashable, Sendable {
    /// From left to right.
    public var width: Int
    /// From top to bottom.
    public var height: Int

    /// A size: width, then height.
    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height, or `nil` where the product does not fit an `Int` or a side is negative.
    public var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : count
    }

    /// Whether either side is zero or negative.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The same picture turned by a quarter.
    public var transposed: PixelSize { PixelSize(height, width) }
}

extension PixelSize: CustomStringConvertible {
    /// `640×480`.
    public var description: String { "\(width)×\(height)" }
}

/// A size in pixels or points that need not be whole, as a caller asks for it.
public struct ImageSize: Hashable, Sendable {
    /// From left to right.
    public var width: Double
    /// From top to bottom.
    public var height: Double

    /// A size: width, then height.
    public init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }

    /// A size in whole pixels.
    public init(_ size: PixelSize) {
        self.init(Double(size.width), Double(size.height))
    }

    /// No size.
    public static let zero = ImageSize(0, 0)
}

/// A rectangle in pixels that need not be whole; the origin is the top left corner.
public struct ImageRect: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// From left to right.
    public var width: Double
    /// From top to bottom.
    public var height: Double

    /// A rectangle by its top left corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of a picture of the given size.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }
}
