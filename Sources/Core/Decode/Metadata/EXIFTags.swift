public import WebImageFoundation

/// The tags of an EXIF block as values. Reads what is asked for when it is asked for; copies nothing.
///
/// Tags that lie outside the block, or whose type is unknown, are not there. Maker notes are bytes.
public struct EXIFTags: Sendable {
    /// The directories of a block that tags stand in.
    public enum Directory: Sendable, Hashable, CaseIterable {
        /// Of the picture itself: camera, orientation, artist.
        case image
        /// Of how it was taken.
        case exif
        /// Of where it was taken.
        case gps
        /// Of the small picture inside the block.
        case thumbnail
    }

    /// One value as the file's type has it.
    public enum Value: Sendable, Hashable {
        /// Types BYTE and UNDEFINED.
        case bytes(Data)
        /// Type ASCII, up to the first NUL; UTF-8, with replacement characters for what is none.
        case text(String)
        /// Types SHORT, LONG and their signed kin.
        case integers([Int])
        /// Types RATIONAL and SRATIONAL.
        case fractions([Fraction])
        /// Types FLOAT and DOUBLE.
        case reals([Double])
    }

    /// A numerator and a denominator as stored.
    public struct Fraction: Sendable, Hashable {
        /// Above the line.
        public var numerator: Int
        /// Below the line; 0 is possible.
        public var denominator: Int

        /// A numerator and a denominator.
        public init(numerator: Int, denominator: Int) {
            self.numerator = numerator
            self.denominator = denominator
        }

        /// The quotient; `nil` for a denominator of 0.
        public var value: Double? {
            denominator == 0 ? nil : Double(numerator) / Double(denominator)
        }
    }

    let directories: [Directory: TIFFDirectory]
    private let reader: ByteReader

    /// The tags of a block, with or without the `Exif` prefix of JPEG; `nil` when it is no TIFF structure.
    public init?(_ block: Data) {
        let prefix = "Exif\0\0"
        let hasPrefix = ByteReader(block, .bigEndian).has(prefix, at: 0)
        let tiff = hasPrefix ? block.dropFirst(prefix.utf8.count) : block
        guard let reader = ByteReader(tiff: tiff), let start = reader.uint32(4),
            let image = TIFFDirectory(reader, at: start)
        else { return nil }
        self.reader = reader
        var found = [Directory.image: image]
        // Each directory is read once and leads nowhere further, so that loops of offsets end here.
        for (directory, tag) in [(Directory.exif, 0x8769), (.gps, 0x8825)] {
            guard let entry = image[tag], let offset = reader.uint32(entry.valueOffset), entry.byteCount == 4 else {
                continue
            }
            found[directory] = TIFFDirectory(reader, at: offset)
        }
        found[.thumbnail] = TIFFDirectory(reader, at: image.next)
        directories = found
    }

    /// The numbers of the tags in a directory that can be read, in the order of the file.
    public func tags(in directory: Directory) -> [Int] {
        directories[directory]?.entries.map(\.tag) ?? []
    }

    /// The value of a tag; `nil` when it is not there.
    public subscript(directory: Directory, tag: Int) -> Value? {
        guard let entry = directories[directory]?[tag] else { return nil }
        return value(of: entry)
    }

    /// Bytes of the block, counted from the start of its TIFF structure; `nil` where some are outside.
    func bytes(_ offset: Int, count: Int) -> Data? {
        reader.bytes(offset, count: count)
    }

    private func value(of entry: TIFFDirectory.Entry) -> Value? {
        let start = entry.valueOffset
        func each<Element>(_ unit: Int, _ read: (Int) -> Element?) -> [Element] {
            (0..<entry.count).compactMap { read(start + $0 * unit) }
        }
        switch entry.type {
        case 2, 129: return reader.bytes(start, count: entry.byteCount).map { .text(Self.text($0)) }
        case 3: return .integers(each(2, reader.uint16))
        case 8: return .integers(each(2, reader.int16))
        case 4, 13: return .integers(each(4, reader.uint32))
        case 9: return .integers(each(4, reader.int32))
        case 5: return .fractions(each(8) { reader.fraction($0, reader.uint32) })
        case 10: return .fractions(each(8) { reader.fraction($0, reader.int32) })
        case 11: return .reals(each(4, reader.float32))
        case 12: return .reals(each(8, reader.float64))
        default: return reader.bytes(start, count: entry.byteCount).map { .bytes($0) }
        }
    }

    private static func text(_ bytes: Data) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension ByteReader {
    fileprivate func int16(_ offset: Int) -> Int? {
        uint16(offset).map { Int(Int16(truncatingIfNeeded: $0)) }
    }

    fileprivate func int32(_ offset: Int) -> Int? {
        uint32(offset).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    fileprivate func float32(_ offset: Int) -> Double? {
        uint32(offset).map { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
    }

    fileprivate func float64(_ offset: Int) -> Double? {
        uint64(offset).map { Double(bitPattern: $0) }
    }

    fileprivate func fraction(_ offset: Int, _ read: (Int) -> Int?) -> EXIFTags.Fraction? {
        guard let numerator = read(offset), let denominator = read(offset + 4) else { return nil }
        return EXIFTags.Fraction(numerator: numerator, denominator: denominator)
    }
}
