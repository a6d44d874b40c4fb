/// The size of a rotated picture.
public enum RotationCanvas: String, Sendable, Hashable, CaseIterable {
    /// As large as the rotated picture needs; what it does not cover is transparent.
    case fit
    /// The picture's own size; what reaches out is cut off.
    case clip
}

extension PixelBuffer {
    /// The picture turned about its centre.
    ///
    /// Multiples of a quarter turn (to 1e-7) move pixels and change none; with `.clip` a picture whose sides differ by
    /// an odd number then stands half a pixel to the top left. Other angles interpolate linearly, with smooth edges.
    ///
    /// - Parameter radians: Counter-clockwise as seen; any finite number.
    /// - Returns: `nil` for an angle that is not finite, or a canvas that no buffer can have.
    public func rotated(by radians: Double, canvas: RotationCanvas = .fit) -> PixelBuffer? {
        guard radians.isFinite else { return nil }
        let turns = (radians / (.pi / 2)).rounded()
        if abs(radians - turns * (.pi / 2)) <= 1e-7 {
            let quarters = Int(turns.truncatingRemainder(dividingBy: 4) + 4) % 4
            return turned(byQuarters: quarters, canvas)
        }
        let rotation = Rotation(radians: radians, source: size, canvas: canvas)
        return rotation.drawn(mixable)
    }

    private func turned(byQuarters quarters: Int, _ canvas: RotationCanvas) -> PixelBuffer? {
        let turned = upright(from: [Orientation.up, .left, .down, .right][quarters])
        guard canvas == .clip, turned.size != size else { return turned }
        return turned.recentred(on: size)
    }

    /// The middle of the picture in the middle of a canvas, cut off or with transparency around it as needed.
    private func recentred(on canvas: PixelSize) -> PixelBuffer? {
        var layout = layout
        if layout.alpha == .opaque { layout.alpha = .premultiplied }
        guard var result = PixelBuffer(size: canvas, layout: layout) else { return nil }
        let width = min(width, canvas.width)
        let height = min(height, canvas.height)
        // What is cut off when the picture is larger, and how far in it begins when the canvas is.
        let part = PixelRect(
            x: (self.width - width + 1) / 2, y: (self.height - height + 1) / 2, width: width, height: height)
        result.copy(
            part, of: self, to: PixelPoint(x: (canvas.width - width) / 2, y: (canvas.height - height) / 2))
        return result
    }
}

extension PixelSize {
    /// The smallest canvas that holds a picture of this size turned by an angle, as `RotationCanvas.fit` has it.
    ///
    /// Its sides may be larger than an `Int` when the picture's are: so they are numbers, not whole.
    public func boundsOfRotation(by radians: Double) -> ImageSize {
        let angle = Angle(radians)
        // A residue of the sine must not make the canvas a pixel larger.
        func side(_ length: Double) -> Double { max(1, (length - 1e-6).rounded(.up)) }
        return ImageSize(
            side(Double(width) * abs(angle.cosine) + Double(height) * abs(angle.sine)),
            side(Double(width) * abs(angle.sine) + Double(height) * abs(angle.cosine)))
    }
}
