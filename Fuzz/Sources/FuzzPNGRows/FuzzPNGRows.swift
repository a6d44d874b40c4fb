import Foundation
import PNGOracle
import WebImageCore
import WebImagePNG

/// Makes a PNG of the input, in one of two ways: its bytes are filtered samples, which zlib compresses; or they are the
/// compressed data itself. What we decode, whole and in pieces, must be what libpng decodes, or both refuse it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNGRows(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 6 else { return -1 }
    let recipe = Recipe(Array(UnsafeBufferPointer(start: bytes, count: 6)))
    let payload = Array(UnsafeBufferPointer(start: bytes + 6, count: count - 6))
    let file = recipe.file(recipe.isCompressed ? payload : recipe.compressed(payload))
    var expected = [UInt8](repeating: 0, count: recipe.width * recipe.height * 4)
    let isPicture = png_oracle_decode(file, file.count, &expected, expected.count / 4)
    var options = DecodeOptions()
    options.alpha = .straight
    options.colorConversion = .none
    let data = Data(file)
    let whole = try? PNGCoder().decode(data, options: options)
    precondition((whole != nil) == isPicture, "one of the two refuses the file")
    if let whole { precondition(whole.pixels.withUnsafeBytes { $0.elementsEqual(expected) }, "other pixels") }
    let decoder = PNGCoder().incrementalDecoder(options: options)
    let step = max(61, file.count / 7)
    for start in stride(from: 0, to: file.count, by: step) {
        let piece = file[start..<min(file.count, start + step)]
        guard (try? piece.withUnsafeBytes({ try decoder.append($0) })) != nil else { break }
    }
    let final = try? decoder.finish()
    precondition((final != nil) == isPicture, "in pieces it is judged in another way")
    if let final { precondition(final.pixels.withUnsafeBytes { $0.elementsEqual(expected) }, "other pixels in pieces") }
    return 0
}

/// What the first bytes of the input say about the file.
private struct Recipe {
    static let kinds: [(type: UInt8, depth: UInt8, channels: Int)] = [
        (0, 1, 1), (0, 2, 1), (0, 4, 1), (0, 8, 1), (0, 16, 1), (2, 8, 3), (2, 16, 3), (3, 1, 1), (3, 2, 1), (3, 4, 1),
        (3, 8, 1), (4, 8, 2), (4, 16, 2), (6, 8, 4), (6, 16, 4),
    ]

    let kind: (type: UInt8, depth: UInt8, channels: Int)
    let width: Int
    let height: Int
    let isCompressed: Bool
    let hasKey: Bool
    /// How many bytes a chunk holds.
    let pieceCount: Int
    let level: Int32
    let strategy: Int32

    init(_ bytes: [UInt8]) {
        kind = Self.kinds[Int(bytes[0]) % Self.kinds.count]
        width = Int(bytes[1]) + 1
        height = Int(bytes[2]) + 1
        isCompressed = bytes[3] & 1 == 1
        hasKey = bytes[3] & 2 == 2
        pieceCount = [7, 100, 1000, 8192][Int(bytes[3] >> 2) & 3]
        level = Int32(bytes[4] % 10)
        strategy = Int32(bytes[5] % 5)
    }

    /// The payload again and again until there is enough of it.
    func compressed(_ payload: [UInt8]) -> [UInt8] {
        let rowCount = (width * kind.channels * Int(kind.depth) + 7) / 8 + 1
        let rows = (0..<rowCount * height).map { payload[$0 % payload.count] % ($0 % rowCount == 0 ? 5 : 255) }
        var target = [UInt8](repeating: 0, count: rows.count * 2 + 1000)
        let count = png_oracle_deflate(rows, rows.count, level, strategy, &target, target.count)
        return Array(target[..<count])
    }

    func file(_ pixels: [UInt8]) -> [UInt8] {
        let size = [0, 0, UInt8(width >> 8), UInt8(width & 0xFF), 0, 0, UInt8(height >> 8), UInt8(height & 0xFF)]
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", size + [kind.depth, kind.type, 0, 0, 0])
        if kind.type == 3 { file += chunk("PLTE", (0..<3 << min(7, kind.depth)).map { UInt8($0 * 37 & 0xFF) }) }
        let key: [UInt8] = [0: [0, 1], 2: [0, 1, 0, 2, 0, 3], 3: [9, 200]][kind.type] ?? []
        if hasKey, !key.isEmpty { file += chunk("tRNS", key) }
        for start in stride(from: 0, to: pixels.count, by: pieceCount) {
            file += chunk("IDAT", Array(pixels[start..<min(pixels.count, start + pieceCount)]))
        }
        return file + chunk("IEND", [])
    }

    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + body
        return number(UInt32(body.count)) + checked + number(png_oracle_crc(checked, checked.count))
    }

    private func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
