public import WebImagePixels

/// The part of encoding that is the same in every coder: the rows of a picture as files want them.
public struct RowEncoding: Sendable {
    private let pixels: PixelBuffer

    /// - Throws: `encodingFailed` for a picture that is not 8-bit sRGB, or too large for the format.
    public init(_ image: DecodedImage, to format: ImageFormat, maxDimension: Int) throws(ImageError) {
        pixels = image.pixels
        guard pixels.format == .rgba8, pixels.colorSpace == .sRGB else {
            throw ImageError(.encodingFailed, .store, "\(format) is written from 8-bit sRGB only; convert the picture")
        }
        guard pixels.width <= maxDimension, pixels.height <= maxDimension else {
            throw ImageError(
                .encodingFailed, .store,
                "\(pixels.size) is too large for \(format), whose sides are at most \(maxDimension); make it smaller")
        }
    }

    /// The size of the picture, in pixels.
    public var size: PixelSize { pixels.size }

    /// Whether any pixel may be transparent.
    public var hasAlpha: Bool { pixels.alpha != .opaque }

    /// Whether red, green and blue are the same in every pixel of row `y`.
    func isGrayRow(_ y: Int) -> Bool {
        unsafe pixels.withUnsafeRow(y) { row in
            unsafe row.bindMemory(to: UInt32.self).allSatisfy { pixel in
                let value = UInt32(littleEndian: pixel)
                return (value ^ value >> 8) & 0xFFFF == 0
            }
        }
    }

    /// Writes row `y` as R, G, B, A with straight alpha; `row` has width × 4 bytes.
    public func copyStraightRow(_ y: Int, to row: UnsafeMutableRawBufferPointer) {
        unsafe pixels.withUnsafeRow(y) { unsafe row.copyMemory(from: $0) }
        if pixels.alpha == .premultiplied { unsafe unpremultiply(row) }
    }

    /// Writes row `y` laid over a colour, as R, G, B and full alpha; `row` has width × 4 bytes.
    public func copyRow(_ y: Int, over color: PixelColor, to row: UnsafeMutableRawBufferPointer) {
        unsafe pixels.withUnsafeRow(y) { unsafe row.copyMemory(from: $0) }
        if pixels.alpha == .straight { unsafe premultiply(row) }
        guard hasAlpha else { return }
        let background = [UInt32(color.red), UInt32(color.green), UInt32(color.blue)]
        for offset in stride(from: 0, to: row.count, by: 4) {
            let transparency = unsafe 255 - UInt32(row[offset + 3])
            for channel in 0..<3 {
                let sum = unsafe UInt32(row[offset + channel]) + (background[channel] * transparency + 127) / 255
                unsafe row[offset + channel] = UInt8(min(255, sum))
            }
            unsafe row[offset + 3] = 255
        }
    }
}
