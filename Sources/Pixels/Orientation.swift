/// How stored pixels must be turned to stand upright: the values of the EXIF tag 0x0112 (CIPA DC-008, 4.6.4).
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    /// 1: as stored.
    case up = 1
    /// 2: left and right change places.
    case upMirrored
    /// 3: by half a turn.
    case down
    /// 4: top and bottom change places.
    case downMirrored
    /// 5: rows become columns, mirrored at the diagonal from top left to bottom right.
    case leftMirrored
    /// 6: by a quarter turn clockwise.
    case right
    /// 7: rows become columns, mirrored at the diagonal from top right to bottom left.
    case rightMirrored
    /// 8: by a quarter turn counter-clockwise.
    case left

    /// The orientation that an EXIF value stands for; values outside 1…8 mean `up`.
    public init(exif value: Int) {
        self = Orientation(rawValue: value) ?? .up
    }

    /// Whether upright width is stored height.
    public var isTransposed: Bool { rawValue >= 5 }

    /// The size a viewer sees of a picture stored with the given size.
    public func upright(_ stored: PixelSize) -> PixelSize {
        isTransposed ? stored.transposed : stored
    }

    /// The size as stored of a picture that a viewer sees with the given size.
    public func stored(_ upright: ImageSize) -> ImageSize {
        isTransposed ? ImageSize(upright.height, upright.width) : upright
    }
}
