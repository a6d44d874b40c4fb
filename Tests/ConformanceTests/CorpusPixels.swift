import Foundation
import WebImage

/// The pixels of one picture as the manifest describes them.
struct CorpusPixels {
    /// Straight RGBA, rows without padding; the colour of fully transparent pixels is 0.
    private let bytes: [UInt8]
    private let size: PixelSize

    init(_ pixels: PixelBuffer) {
        size = pixels.size
        var bytes = pixels.withUnsafeBytes { [UInt8]($0) }
        if pixels.alpha != .opaque {
            bytes.withUnsafeMutableBytes { raw in
                let words = raw.bindMemory(to: UInt32.self)
                // Alpha is the last byte of four.
                for index in words.indices where UInt32(littleEndian: words[index]) >> 24 == 0 { words[index] = 0 }
            }
        }
        self.bytes = bytes
    }

    var digest: [UInt8] { bytes.withUnsafeBytes { Self.sha256($0) } }

    static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        Digest.sha256(bytes)
    }

    /// Of 8 × 8 cells, row by row, the means of red, green and blue weighted by alpha, and of alpha.
    var grid: [Int] {
        (0..<8).flatMap { row in (0..<8).flatMap { cell(column: $0, row: row) } }
    }

    private func cell(column: Int, row: Int) -> [Int] {
        func range(_ index: Int, of side: Int) -> Range<Int> {
            let start = index * side / 8
            return start..<max((index + 1) * side / 8, start + 1)
        }
        let (columns, rows) = (range(column, of: size.width), range(row, of: size.height))
        var (red, green, blue, alpha) = (0, 0, 0, 0)
        bytes.withUnsafeBufferPointer { bytes in
            for y in rows {
                for x in columns {
                    let offset = (y * size.width + x) * 4
                    let weight = Int(bytes[offset + 3])
                    red += Int(bytes[offset]) * weight
                    green += Int(bytes[offset + 1]) * weight
                    blue += Int(bytes[offset + 2]) * weight
                    alpha += weight
                }
            }
        }
        let count = Double(columns.count * rows.count)
        let colors = [red, green, blue].map { Int(Double($0) / 255 / count + 0.5) }
        return colors + [Int(Double(alpha) / count + 0.5)]
    }
}

extension String {
    /// Of hexadecimal digits, the bytes.
    var bytesOfHexadecimal: [UInt8] {
        let digits = utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
