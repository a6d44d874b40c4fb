import WebImagePixels

/// Gives each pixel a palette colour, and what that is off to the pixels around it (Floyd and Steinberg, 1976).
struct GIFDithering {
    private let palette: [SIMD3<Int32>]
    private let width: Int
    /// The nearest palette colour of each box of colours, as far as it has been looked for.
    private var nearest: [Int16]
    /// In sixteenths, of this row and the next; one pixel more at either end.
    private var errors: [SIMD3<Int32>]
    private var nextErrors: [SIMD3<Int32>]

    init(_ colors: [UInt32], width: Int) {
        palette = colors.map(Self.channels)
        self.width = width
        nearest = [Int16](repeating: -1, count: GIFQuantizer.binCount)
        errors = [SIMD3<Int32>](repeating: SIMD3(), count: width + 2)
        nextErrors = errors
    }

    mutating func indices(of picture: GIFPicture, hole: UInt8) -> [UInt8] {
        var indices = [UInt8](repeating: hole, count: picture.pixels.count)
        for y in 0..<picture.size.height {
            for x in 0..<width {
                let place = y * width + x
                let pixel = picture.pixels[place]
                guard pixel != GIFPicture.transparent else { continue }
                indices[place] = index(of: pixel, x: x)
            }
            swap(&errors, &nextErrors)
            for x in nextErrors.indices { nextErrors[x] = SIMD3() }
        }
        return indices
    }

    private mutating func index(of pixel: UInt32, x: Int) -> UInt8 {
        let wanted = (Self.channels(pixel) &+ (errors[x + 1] &+ 8) &>> 4)
            .clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 255))
        let index = nearestIndex(wanted)
        let error = wanted &- palette[index]
        errors[x + 2] &+= error &* 7
        nextErrors[x] &+= error &* 3
        nextErrors[x + 1] &+= error &* 5
        nextErrors[x + 2] &+= error
        return UInt8(index)
    }

    private mutating func nearestIndex(_ color: SIMD3<Int32>) -> Int {
        let bin = GIFQuantizer.binIndex(UInt32(color.x) | UInt32(color.y) << 8 | UInt32(color.z) << 16)
        if nearest[bin] >= 0 { return Int(nearest[bin]) }
        // The middle of the box, so that the answer does not depend on which of its colours came first.
        let middle = (color & SIMD3(repeating: 0xF8)) | SIMD3(repeating: 4)
        var best = (index: 0, distance: Int32.max)
        for (index, candidate) in palette.enumerated() {
            let offset = candidate &- middle
            let distance = (offset &* offset).wrappedSum()
            if distance < best.distance { best = (index, distance) }
        }
        nearest[bin] = Int16(best.index)
        return best.index
    }

    private static func channels(_ color: UInt32) -> SIMD3<Int32> {
        SIMD3(Int32(color & 255), Int32(color >> 8 & 255), Int32(color >> 16 & 255))
    }
}
