package import WebImagePixels

/// Where a frame of an animation stands on its canvas, and what becomes of its place when its time is over.
package struct FramePlacement: Sendable, Hashable {
    /// What becomes of a frame's place when its time is over.
    package enum Disposal: Sendable {
        case keep
        case clear
        case restorePrevious
    }

    package var x: Int
    package var y: Int
    package var size: PixelSize
    package var disposal: Disposal

    package init(x: Int, y: Int, size: PixelSize, disposal: Disposal) {
        self.x = x
        self.y = y
        self.size = size
        self.disposal = disposal
    }

    package func covers(_ canvas: PixelSize) -> Bool {
        contains(FramePlacement(x: 0, y: 0, size: canvas, disposal: .keep))
    }

    package func contains(_ other: FramePlacement) -> Bool {
        x <= other.x && y <= other.y && x + size.width >= other.x + other.size.width
            && y + size.height >= other.y + other.size.height
    }
}

extension Collection where Element == FramePlacement {
    /// Whether the bare canvas may show through somewhere, even if every frame is opaque.
    package func leaveHoles(in canvas: PixelSize) -> Bool {
        guard let first, first.covers(canvas) else { return true }
        if count > 1, first.disposal == .restorePrevious { return true }
        return zip(self, dropFirst()).contains { frame, next in
            frame.disposal == .clear && (!next.contains(frame) || next.disposal == .restorePrevious)
        }
    }
}
