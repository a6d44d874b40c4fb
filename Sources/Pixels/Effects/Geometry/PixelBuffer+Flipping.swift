/// The directions in which a picture is mirrored.
public struct FlipDirections: OptionSet, Sendable, Hashable {
    /// 1 for horizontal, 2 for vertical.
    public let rawValue: Int

    /// Directions by their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Left becomes right.
    public static let horizontal = FlipDirections(rawValue: 1)
    /// Top becomes bottom.
    public static let vertical = FlipDirections(rawValue: 2)
}

extension PixelBuffer {
    /// The picture mirrored. Exact: pixels move, none changes.
    public func flipped(_ directions: FlipDirections) -> PixelBuffer {
        switch (directions.contains(.horizontal), directions.contains(.vertical)) {
        case (true, true): upright(from: .down)
        case (true, false): upright(from: .upMirrored)
        case (false, true): upright(from: .downMirrored)
        case (false, false): self
        }
    }
}
