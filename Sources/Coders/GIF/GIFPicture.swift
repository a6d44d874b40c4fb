import WebImageCore
import WebImagePixels

/// Pixels as GIF can have them: RGBA in memory order, opaque, or 0 for transparent.
struct GIFPicture {
    let size: PixelSize
    var pixels: [UInt32]

    static let transparent: UInt32 = 0

    /// A transparent one.
    init(_ size: PixelSize) {
        self.size = size
        pixels = [UInt32](repeating: Self.transparent, count: size.width * size.height)
    }

    /// A picture at another size; opaque from an alpha of 128 on.
    init(_ image: DecodedImage, _ target: PixelSize) throws(ImageError) {
        let rows = try RowEncoding(image.resized(to: target), to: .gif, maxDimension: 0xFFFF)
        self.init(rows.size)
        let width = size.width
        unsafe pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<rows.size.height {
                let row = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[y * width * 4..<(y + 1) * width * 4])
                unsafe rows.copyStraightRow(y, to: row)
                for x in stride(from: 0, to: row.count, by: 4) {
                    let isOpaque = unsafe !rows.hasAlpha || row[x + 3] >= 128
                    if isOpaque {
                        unsafe row[x + 3] = 255
                    } else {
                        unsafe row.storeBytes(of: Self.transparent, toByteOffset: x, as: UInt32.self)
                    }
                }
            }
        }
    }

    /// Whether a pixel that is opaque here is transparent in the next picture.
    func losesPixels(to next: GIFPicture) -> Bool {
        zip(pixels, next.pixels).contains { $0 != Self.transparent && $1 == Self.transparent }
    }

    /// The smallest rectangle outside which the pictures are the same; `nil` when they are the same.
    func difference(to other: GIFPicture) -> (columns: Range<Int>, rows: Range<Int>)? {
        var columns = 0..<0
        var rows: Range<Int>?
        for y in 0..<size.height {
            let row = y * size.width..<(y + 1) * size.width
            guard let first = row.first(where: { pixels[$0] != other.pixels[$0] }),
                let last = row.last(where: { pixels[$0] != other.pixels[$0] })
            else { continue }
            let (left, right) = (first - row.lowerBound, last - row.lowerBound + 1)
            columns = rows == nil ? left..<right : min(left, columns.lowerBound)..<max(right, columns.upperBound)
            rows = (rows?.lowerBound ?? y)..<y + 1
        }
        return rows.map { (columns, $0) }
    }

    /// A part of the picture in which what another picture has already is transparent.
    func part(columns: Range<Int>, rows: Range<Int>, without other: GIFPicture) -> GIFPicture {
        var part = GIFPicture(PixelSize(columns.count, rows.count))
        var target = 0
        for y in rows {
            for x in columns {
                let source = y * size.width + x
                if pixels[source] != other.pixels[source] { part.pixels[target] = pixels[source] }
                target += 1
            }
        }
        return part
    }
}
