import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one picture as a bitmap, bottom row first.
struct BMPWriter {
    private let rows: RowEncoding
    private let profile: Data?
    private let rowByteCount: Int
    private let byteCount: Int
    private let pixelStart: Int

    /// - Throws: `encodingFailed` for a picture that does not fit in a file of 4 GiB.
    init(_ image: DecodedImage, profile: Data?) throws(ImageError) {
        rows = try RowEncoding(image, to: .bmp, maxDimension: Int(Int32.max))
        self.profile = profile.flatMap { $0.isEmpty ? nil : $0 }
        pixelStart = 14 + (rows.hasAlpha || self.profile != nil ? Self.lastHeaderByteCount : BMPHeader.infoByteCount)
        rowByteCount = Bitmap.byteCounts(width: rows.size.width, bits: rows.hasAlpha ? 32 : 24).row
        let (pixels, overflow) = rowByteCount.multipliedReportingOverflow(by: rows.size.height)
        let others = pixelStart + (self.profile?.count ?? 0)
        guard !overflow, pixels <= Int(UInt32.max) - others else {
            throw ImageError(
                .encodingFailed, .store, "\(rows.size) is too large for bmp, whose files end at 4 GiB; make it smaller")
        }
        byteCount = others + pixels
    }

    /// Of version 5.
    private static let lastHeaderByteCount = 124

    func data() -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes += Array("BM".utf8) + number(byteCount) + number(0) + number(pixelStart)
        bytes += header
        var row = [UInt8](repeating: 0, count: rows.size.width * 4)
        for y in (0..<rows.size.height).reversed() {
            unsafe row.withUnsafeMutableBytes { unsafe rows.copyStraightRow(y, to: $0) }
            append(row, to: &bytes)
        }
        return Data(bytes) + (profile ?? Data())
    }

    private func append(_ row: [UInt8], to bytes: inout [UInt8]) {
        let start = bytes.count
        for offset in stride(from: 0, to: row.count, by: 4) {
            bytes.append(row[offset + 2])
            bytes.append(row[offset + 1])
            bytes.append(row[offset])
            if rows.hasAlpha { bytes.append(row[offset + 3]) }
        }
        for _ in bytes.count - start..<rowByteCount { bytes.append(0) }
    }

    private var header: [UInt8] {
        let isPlain = pixelStart == 14 + BMPHeader.infoByteCount
        // One plane, then bits a pixel.
        let depth: [UInt8] = [1, 0, rows.hasAlpha ? 32 : 24, 0]
        let pixelByteCount = rowByteCount * rows.size.height
        let common =
            number(pixelStart - 14) + number(rows.size.width) + number(rows.size.height) + depth
            + number(rows.hasAlpha ? 3 : 0) + number(pixelByteCount)
            // Dots a metre are not known; no palette.
            + number(0) + number(0) + number(0) + number(0)
        return isPlain ? common : common + masks + colorSpace(pixelByteCount)
    }

    private var masks: [UInt8] {
        rows.hasAlpha
            ? number(0xFF_0000) + number(0xFF00) + number(0xFF) + number(0xFF00_0000) : [UInt8](repeating: 0, count: 16)
    }

    /// sRGB, or the embedded profile behind the pixels; no chromaticities, no gamma, perceptual intent.
    private func colorSpace(_ pixelByteCount: Int) -> [UInt8] {
        let place = profile.map { profile in
            number(pixelStart - 14 + pixelByteCount) + number(profile.count)
        }
        return Array((profile == nil ? "BGRs" : "DEBM").utf8) + [UInt8](repeating: 0, count: 48) + number(4)
            + (place ?? number(0) + number(0)) + number(0)
    }

    private func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
