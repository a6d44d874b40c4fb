/// The simplest writers of the deflate family: bytes go in as they are ("stored"), so that no library is needed and
/// every test knows the exact length.
enum StoredDeflate {
    /// RFC 1950.
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        [0x78, 0x01] + blocks(bytes) + bigEndian(adler32(bytes))
    }

    /// RFC 1952.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        let length = UInt32(truncatingIfNeeded: bytes.count)
        return head + blocks(bytes) + bigEndian(crc32(bytes)).reversed() + bigEndian(length).reversed()
    }

    /// CRC-32 as PNG and gzip use it.
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static let maxBlockByteCount = 0xFFFF

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }

    private static func blocks(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + maxBlockByteCount, bytes.count)
            let length = UInt16(end - start)
            result.append(end == bytes.count ? 1 : 0)
            for number in [length, ~length] {
                result.append(UInt8(truncatingIfNeeded: number))
                result.append(UInt8(truncatingIfNeeded: number >> 8))
            }
            result.append(contentsOf: bytes[start..<end])
            start = end
        } while start < bytes.count
        return result
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}
