import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A picture whose chunks of pixels are still coming.
protocol PNGPartialPicture: AnyObject {
    var decoding: RowDecoding { get }
    var hasAlpha: Bool { get }
    /// Whether all pixels have come.
    var isComplete: Bool { get }

    /// Decodes what there is of a chunk of pixels.
    ///
    /// - Parameter start: The first byte of the file that did not come before.
    func take(_ data: Data, of chunk: PNGChunk, from start: Int) throws(ImageError)

    /// Whether the data behind the last row is as it should be. Asked once, when all chunks of pixels were taken.
    func hasGoodEnd() -> Bool

    /// What there is to see, if it is worth a copy of the whole picture again.
    func preview() throws(ImageError) -> DecodedImage?

    /// What has come so far.
    func picture(_ decoding: RowDecoding) throws(ImageError) -> DecodedImage
}

extension PNGPartialPicture {
    /// How many previews cost together less than half of decoding once. Turning costs as much again, and memory of more
    /// than 4 MiB comes fresh from the system each time.
    static func previewCount(of size: PixelSize, isTurned: Bool) -> Int {
        isTurned || (size.pixelCount ?? 0) > 1 << 20 ? 1 : 3
    }
}
