import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The pictures that an icon or a cursor lists.
struct ICODirectory {
    /// One of them.
    enum Picture {
        case bitmap(Bitmap)
        /// Where a file of its own lies.
        case png(Range<Int>, size: PixelSize)
    }

    /// The largest one, and of several of one size the one with most bits a pixel.
    let best: Picture

    private static let headByteCount = 6
    private static let entryByteCount = 16

    /// - Throws: `badImageData` for a file without a picture whose header can be read.
    init(_ data: Data) throws(ImageError) {
        let reader = ByteReader(data, .littleEndian)
        guard FormatSniffer.format(of: data) == .ico, let count = reader.uint16(4) else {
            throw ImageError(.badImageData, .decode, "the bytes are no ico or cur, or are cut before its list")
        }
        var best: (picture: Picture, rank: Rank)?
        var fault: ImageError?
        for index in 0..<count {
            do throws(ImageError) {
                let found = try Self.picture(index, in: data, reader)
                if best.map({ $0.rank < found.rank }) ?? true { best = found }
            } catch {
                // One damaged picture leaves the others.
                fault = fault ?? error
            }
        }
        guard let best else { throw fault ?? .damagedBitmap(.ico, "it lists no picture") }
        self.best = best.picture
    }

    /// What makes one picture better than another.
    private struct Rank: Comparable {
        let pixelCount: Int
        let bits: Int

        static func < (first: Rank, second: Rank) -> Bool {
            (first.pixelCount, first.bits) < (second.pixelCount, second.bits)
        }
    }

    private static func picture(
        _ index: Int, in data: Data, _ reader: ByteReader
    ) throws(ImageError) -> (picture: Picture, rank: Rank) {
        let entry = headByteCount + index * entryByteCount
        guard let count = reader.uint32(entry + 8), let offset = reader.uint32(entry + 12) else {
            throw .truncatedBitmap(.ico, "in its list of pictures")
        }
        guard offset < data.count else {
            throw .damagedBitmap(
                .ico, "picture \(index) is to begin at byte \(offset), but the file has \(data.count) bytes")
        }
        if let size = sizeOfPNG(at: offset, in: data) {
            let place = offset..<offset + min(count, data.count - offset)
            return (.png(place, size: size), Rank(pixelCount: size.pixelCount ?? 0, bits: 32))
        }
        let bitmap = try Bitmap(icon: data, at: offset)
        return (.bitmap(bitmap), Rank(pixelCount: bitmap.size.pixelCount ?? 0, bits: bitmap.header.bits))
    }

    /// `nil` for what is no PNG; its first chunk tells the size.
    private static func sizeOfPNG(at offset: Int, in data: Data) -> PixelSize? {
        let reader = ByteReader(data, .bigEndian)
        guard FormatSniffer.format(of: data.dropFirst(offset).prefix(8)) == .png,
            let width = reader.uint32(offset + 16), let height = reader.uint32(offset + 20)
        else { return nil }
        return PixelSize(width, height)
    }
}
