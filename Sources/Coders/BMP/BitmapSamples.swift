import WebImageFoundation
import WebImagePixels

/// Makes RGBA with straight alpha of the rows of a bitmap that is not compressed.
struct BitmapSamples {
    private let bitmap: Bitmap
    private let palette: [SIMD4<UInt8>]
    private let channels: [BMPChannel]
    private let kind: Kind

    private enum Kind {
        case palette
        case pixels16
        case bytes24
        /// Blue, green, red and something or alpha.
        case bytes32(usesAlpha: Bool)
        case pixels32
    }

    init(_ bitmap: Bitmap, _ palette: [SIMD4<UInt8>], usesAlpha: Bool) {
        self.bitmap = bitmap
        self.palette = palette
        let masks = bitmap.header.masks
        channels = (0..<4).map { channel in
            BMPChannel(mask: channel == 3 && !usesAlpha ? 0 : masks[channel], missing: channel == 3 ? 255 : 0)
        }
        let isUsual = masks[..<3] == [0xFF_0000, 0xFF00, 0xFF] && (!usesAlpha || masks[3] == 0xFF00_0000)
        switch bitmap.header.bits {
        case 16: kind = .pixels16
        case 24: kind = .bytes24
        case 32: kind = isUsual ? .bytes32(usesAlpha: usesAlpha) : .pixels32
        default: kind = .palette
        }
    }

    /// - Parameter row: In the order of the file.
    func convert(_ row: Int, to target: UnsafeMutableRawBufferPointer) {
        let bytes = bitmap.data.span.extracting(bitmap.range(ofRow: row))
        let width = target.count / 4
        switch kind {
        case .palette: unsafe convertIndices(bytes, to: target)
        case .bytes24:
            for x in 0..<width {
                let pixel = SIMD4(bytes[x * 3 + 2], bytes[x * 3 + 1], bytes[x * 3], 255)
                unsafe target.storeBytes(of: pixel, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
            }
        case .bytes32(let usesAlpha):
            for x in 0..<width {
                let alpha = usesAlpha ? bytes[x * 4 + 3] : 255
                let pixel = SIMD4(bytes[x * 4 + 2], bytes[x * 4 + 1], bytes[x * 4], alpha)
                unsafe target.storeBytes(of: pixel, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
            }
        case .pixels16:
            for x in 0..<width {
                unsafe target.storeBytes(
                    of: color(Self.pixel16(bytes, x)), toByteOffset: x * 4, as: SIMD4<UInt8>.self)
            }
        case .pixels32:
            for x in 0..<width {
                unsafe target.storeBytes(
                    of: color(Self.pixel32(bytes, x)), toByteOffset: x * 4, as: SIMD4<UInt8>.self)
            }
        }
    }

    /// Whether any pixel of the row has alpha. Only for bitmaps with a mask for it, so of 16 or 32 bits.
    static func hasAlpha(in bitmap: Bitmap, row: Int) -> Bool {
        let bytes = bitmap.data.span.extracting(bitmap.range(ofRow: row))
        let mask = bitmap.header.masks[3]
        return (0..<bitmap.size.width).contains { x in
            (bitmap.header.bits == 16 ? pixel16(bytes, x) : pixel32(bytes, x)) & mask != 0
        }
    }

    private func convertIndices(_ bytes: Span<UInt8>, to target: UnsafeMutableRawBufferPointer) {
        let bits = bitmap.header.bits
        let (perByte, mask) = (8 / bits, 1 << bits - 1)
        for x in 0..<target.count / 4 {
            // The leftmost pixel has the highest bits.
            let shift = (perByte - 1 - x % perByte) * bits
            let color = palette[Int(bytes[x / perByte]) >> shift & mask]
            unsafe target.storeBytes(of: color, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
        }
    }

    private func color(_ pixel: UInt32) -> SIMD4<UInt8> {
        SIMD4(
            channels[0].level(pixel), channels[1].level(pixel), channels[2].level(pixel), channels[3].level(pixel))
    }

    // MARK: Bytes

    private static func pixel16(_ bytes: Span<UInt8>, _ x: Int) -> UInt32 {
        UInt32(bytes[x * 2]) | UInt32(bytes[x * 2 + 1]) << 8
    }

    private static func pixel32(_ bytes: Span<UInt8>, _ x: Int) -> UInt32 {
        UInt32(pixel16(bytes, x * 2)) | pixel16(bytes, x * 2 + 1) << 16
    }
}
