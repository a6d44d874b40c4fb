import WebImageCore
import WebImageFoundation

/// One of the pictures in a file.
struct TIFFPage {
    /// From 0.
    let index: Int
    /// How many pages the file has.
    let count: Int
    /// `nil` where this module finds none; libtiff may.
    let directory: TIFFDirectory?

    /// - Parameter limit: After so many directories no more are looked for.
    /// - Throws: `badImageData` for a page that the file does not have.
    init(_ index: Int, of data: Data, atMost limit: Int) throws(ImageError) {
        let first = TIFFDirectory(data)
        let offsets = first?.pageOffsets(atMost: limit) ?? [0]
        guard offsets.indices.contains(index) else {
            throw ImageError(
                .badImageData, .decode,
                "this tiff has \(offsets.count) page(s) and none at index \(index); pages count from 0")
        }
        self.index = index
        count = offsets.count
        directory = index == 0 ? first : first?.directory(at: offsets[index])
    }

    /// Where its directory begins; 0 for the first of the file, which its header names.
    var offset: UInt64 { index == 0 ? 0 : UInt64(directory?.offset ?? 0) }
}
