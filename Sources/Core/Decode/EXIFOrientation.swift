package import WebImageFoundation
package import WebImagePixels

extension Orientation {
    /// The orientation that an EXIF block tells; `nil` when it tells none that can be read.
    ///
    /// - Parameter block: A TIFF structure, with or without the `Exif` prefix that JPEG puts before it.
    package init?(exifBlock block: Data) {
        let prefix = "Exif\0\0"
        let hasPrefix = ByteReader(block, .bigEndian).has(prefix, at: 0)
        let tiff = hasPrefix ? block.dropFirst(prefix.utf8.count) : block
        guard let reader = Self.tiffReader(tiff), let directory = reader.uint32(4),
            let entryCount = reader.uint16(directory)
        else { return nil }
        for entry in 0..<entryCount {
            let offset = directory + 2 + entry * 12
            guard let tag = reader.uint16(offset) else { return nil }
            guard tag == 0x0112 else { continue }
            guard let value = Self.number(in: reader, entry: offset) else { return nil }
            self.init(exif: value)
            return
        }
        return nil
    }

    private static func tiffReader(_ tiff: Data) -> ByteReader? {
        let order: ByteReader.ByteOrder
        switch (tiff.first, tiff.dropFirst().first) {
        case (0x49, 0x49): order = .littleEndian
        case (0x4D, 0x4D): order = .bigEndian
        default: return nil
        }
        let reader = ByteReader(tiff, order)
        return reader.uint16(2) == 42 ? reader : nil
    }

    /// The value of a directory entry that holds one SHORT (type 3, as the standard says) or LONG (as some write).
    private static func number(in reader: ByteReader, entry: Int) -> Int? {
        switch reader.uint16(entry + 2) {
        case 3: reader.uint16(entry + 8)
        case 4: reader.uint32(entry + 8)
        default: nil
        }
    }
}
