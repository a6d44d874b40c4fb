/// Whether a result may be larger than its source.
public enum Enlarging: Sendable, Hashable {
    /// It may: a small source grows to the size asked for.
    case allowed
    /// It may not: a source that is small enough keeps its size.
    case never
}

extension PixelSize {
    /// The size that this picture takes in a box.
    ///
    /// With the aspect ratio kept, one side equals the box's and the other is rounded up, so that it is never 0:
    /// 5250×3450 in 400×300 is 400×263. A box side of 0 is free. A box that says nothing (both sides 0, or any side
    /// negative, infinite or not a number) gives the picture's own size.
    ///
    /// - Parameters:
    ///   - box: The largest size allowed, in pixels; fractions are dropped, but a side is at least 1.
    ///   - preservesAspectRatio: `false` stretches to the box.
    ///   - enlarging: `.never` keeps a picture, or a side when the ratio is free, that is already small enough.
    public func fitted(
        in box: ImageSize, preservesAspectRatio: Bool = true, enlarging: Enlarging = .never
    ) -> PixelSize {
        guard !isEmpty, let bounds = Self.bounds(of: box) else { return self }
        let widthLimit = bounds.width ?? .max
        let heightLimit = bounds.height ?? .max
        guard preservesAspectRatio else {
            return PixelSize(
                Self.side(width, limit: bounds.width, enlarging), Self.side(height, limit: bounds.height, enlarging))
        }
        if enlarging == .never, width <= widthLimit, height <= heightLimit { return self }
        guard let limitedWidth = bounds.width else {
            return PixelSize(Self.scaled(width, by: heightLimit, over: height), heightLimit)
        }
        // Products of whole numbers: the binding side is found without rounding.
        let isWidthBinding =
            bounds.height.map { limitedWidth.multipliedFullWidth(by: height) <= $0.multipliedFullWidth(by: width) }
            ?? true
        return isWidthBinding
            ? PixelSize(limitedWidth, Self.scaled(height, by: limitedWidth, over: width))
            : PixelSize(Self.scaled(width, by: heightLimit, over: height), heightLimit)
    }

    /// The size, proportions kept, at which this picture takes no more than so many bytes, at 4 a pixel.
    ///
    /// Both sides shrink by the root of the ratio and are rounded down, to no less than 1, as SDWebImage does it.
    public func fitted(inByteCount byteCount: Int) -> PixelSize {
        guard !isEmpty else { return self }
        let budget = Double(max(0, byteCount)) / 4
        let pixels = Double(width) * Double(height)
        guard pixels > budget else { return self }
        let factor = (budget / pixels).squareRoot()
        return PixelSize(max(1, Int(Double(width) * factor)), max(1, Int(Double(height) * factor)))
    }

    /// The part of this picture, in its middle, that fills a box of the given shape without distortion.
    public func centredCrop(filling box: PixelSize) -> ImageRect {
        let scale = max(Double(box.width) / Double(width), Double(box.height) / Double(height))
        let cropWidth = min(Double(width), Double(box.width) / scale)
        let cropHeight = min(Double(height), Double(box.height) / scale)
        return ImageRect(
            x: (Double(width) - cropWidth) / 2, y: (Double(height) - cropHeight) / 2,
            width: cropWidth, height: cropHeight)
    }

    /// A box as whole sides, `nil` for a free side; `nil` for a box that says nothing.
    private static func bounds(of box: ImageSize) -> (width: Int?, height: Int?)? {
        guard box.width >= 0, box.height >= 0, box.width.isFinite, box.height.isFinite else { return nil }
        guard box.width > 0 || box.height > 0 else { return nil }
        return (wholeSide(box.width), wholeSide(box.height))
    }

    private static func wholeSide(_ side: Double) -> Int? {
        guard side > 0 else { return nil }
        return max(1, Int(exactly: min(side, 0x1p31).rounded(.down)) ?? 1)
    }

    private static func side(_ side: Int, limit: Int?, _ enlarging: Enlarging) -> Int {
        guard let limit else { return side }
        return enlarging == .never ? min(side, limit) : limit
    }

    /// `side` × `numerator` / `denominator`, rounded up, at least 1; at most 2³¹ where the product fits no `Int`.
    private static func scaled(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
        let exact = (Double(side) * Double(numerator) / Double(denominator)).rounded(.up)
        let (product, overflow) = side.multipliedReportingOverflow(by: numerator)
        guard !overflow else { return Int(min(exact, 0x1p31)) }
        return max(1, product / denominator + (product % denominator == 0 ? 0 : 1))
    }
}
