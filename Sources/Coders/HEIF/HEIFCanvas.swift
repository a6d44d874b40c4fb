import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A picture that is made of others, and says itself how large its canvas is (ISO 23008-12, 6.6.2).
enum HEIFCanvas: String, CaseIterable {
    case grid
    case overlay = "iovl"

    /// As many bytes of an item as it can take to tell the size.
    static let headByteCount = 18

    /// `nil` where the bytes end before it.
    func size(_ head: Data) -> PixelSize? {
        let reader = ByteReader(head, .bigEndian)
        guard let flags = reader.uint8(1) else { return nil }
        let isLong = flags & 1 != 0
        // Behind the numbers of rows and columns, or the colour that fills the canvas.
        let offset = self == .grid ? 4 : 10
        let width = isLong ? reader.uint32(offset) : reader.uint16(offset)
        let height = isLong ? reader.uint32(offset + 4) : reader.uint16(offset + 2)
        guard let width, let height else { return nil }
        return PixelSize(width, height)
    }
}
