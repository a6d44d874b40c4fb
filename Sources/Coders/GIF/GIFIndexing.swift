import WebImagePixels

/// A picture as palette indices.
struct GIFIndexing {
    /// RGBA in memory order; at most 256, at least 1.
    private(set) var palette: [UInt32]
    /// The index of transparent pixels, where there are any.
    private(set) var transparentIndex: Int?
    /// Row by row.
    private(set) var indices: [UInt8]

    init(_ picture: GIFPicture) {
        let hasHoles = picture.pixels.contains(GIFPicture.transparent)
        let maxCount = hasHoles ? 255 : 256
        indices = []
        if let exact = Self.distinctColors(picture.pixels, maxCount: maxCount) {
            palette = exact
            transparentIndex = hasHoles ? exact.count : nil
            indices = Self.exactIndices(picture.pixels, exact, hole: UInt8(truncatingIfNeeded: exact.count))
        } else {
            palette = GIFQuantizer.palette(of: picture.pixels, maxCount: maxCount)
            transparentIndex = hasHoles ? palette.count : nil
            var dithering = GIFDithering(palette, width: picture.size.width)
            indices = dithering.indices(of: picture, hole: UInt8(truncatingIfNeeded: palette.count))
        }
        if hasHoles { palette.append(0) }
    }

    /// Every colour in the order in which it comes; `nil` when there are more than given.
    private static func distinctColors(_ pixels: [UInt32], maxCount: Int) -> [UInt32]? {
        var seen: Set<UInt32> = []
        var colors: [UInt32] = []
        var last = GIFPicture.transparent
        for pixel in pixels where pixel != last && pixel != GIFPicture.transparent {
            last = pixel
            guard seen.insert(pixel).inserted else { continue }
            guard colors.count < maxCount else { return nil }
            colors.append(pixel)
        }
        return colors
    }

    private static func exactIndices(_ pixels: [UInt32], _ palette: [UInt32], hole: UInt8) -> [UInt8] {
        var indexOf: [UInt32: UInt8] = [GIFPicture.transparent: hole]
        for (index, color) in palette.enumerated() { indexOf[color] = UInt8(index) }
        var last = (pixel: GIFPicture.transparent, index: hole)
        return pixels.map { pixel in
            if pixel != last.pixel { last = (pixel, indexOf[pixel] ?? hole) }
            return last.index
        }
    }
}
