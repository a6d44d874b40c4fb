public import WebImageFoundation

/// The records of an IPTC-IIM block.
public struct IPTCRecords: Sendable, Hashable {
    /// One data set.
    public struct Record: Sendable, Hashable {
        /// 1 for the envelope, 2 for what editors write.
        public var record: Int
        /// Which one, such as 120 for the caption.
        public var dataSet: Int
        /// As stored.
        public var value: Data
    }

    /// In the order of the block, up to the first that is damaged.
    public private(set) var records: [Record] = []

    /// The records of a block; `nil` when not even one can be read.
    public init?(_ block: Data) {
        let reader = ByteReader(block, .bigEndian)
        var offset = 0
        while reader.uint8(offset) == 0x1C, let record = reader.uint8(offset + 1),
            let dataSet = reader.uint8(offset + 2),
            let (start, count) = Self.value(in: reader, at: offset + 3), let value = reader.bytes(start, count: count)
        {
            records.append(Record(record: record, dataSet: dataSet, value: value))
            offset = start + count
        }
        guard !records.isEmpty else { return nil }
    }

    /// The texts of a data set of record 2, in the order of the block. UTF-8 where the block says so or they are it,
    /// Latin-1 otherwise.
    public func texts(_ dataSet: Int) -> [String] {
        records.filter { $0.record == 2 && $0.dataSet == dataSet }.map { Self.text($0.value) }
    }

    /// What is on the picture.
    public var caption: String? { texts(120).first }
    /// The terms that it is found by.
    public var keywords: [String] { texts(25) }
    /// The title.
    public var title: String? { texts(5).first }
    /// A short line about it.
    public var headline: String? { texts(105).first }
    /// Who took it.
    public var creators: [String] { texts(80) }
    /// Who is to be named.
    public var credit: String? { texts(110).first }
    /// Who owns it.
    public var copyright: String? { texts(116).first }
    /// As `20261130`.
    public var dateCreated: String? { texts(55).first }
    /// Where it was taken.
    public var city: String? { texts(90).first }
    /// Where it was taken.
    public var country: String? { texts(101).first }

    /// The length is two bytes, or the number of bytes that a longer one takes (IIM 4.2, 1.5).
    private static func value(in reader: ByteReader, at offset: Int) -> (start: Int, count: Int)? {
        guard let count = reader.uint16(offset) else { return nil }
        guard count & 0x8000 != 0 else { return (offset + 2, count) }
        guard count & 0x7FFF == 4, let long = reader.uint32(offset + 2) else { return nil }
        return (offset + 6, long)
    }

    private static func text(_ value: Data) -> String {
        String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    // MARK: Editing

    /// Content location code and name, city, sublocation, province, country code, country.
    private static let locationDataSets: Set<Int> = [26, 27, 90, 92, 95, 100, 101]

    /// The block without the records that say where the picture was taken; empty when there are no others.
    func blockWithoutLocation() -> Data {
        var block = Data()
        for record in records where record.record != 2 || !Self.locationDataSets.contains(record.dataSet) {
            block.append(contentsOf: [0x1C, UInt8(record.record), UInt8(record.dataSet)])
            let count = record.value.count
            if count > 0x7FFF { block.append(contentsOf: [0x80, 4, UInt8(count >> 24), UInt8(count >> 16 & 255)]) }
            block.append(contentsOf: [UInt8(count >> 8 & 255), UInt8(count & 255)])
            block.append(record.value)
        }
        return block
    }
}
