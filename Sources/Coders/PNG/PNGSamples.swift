import CWebImagePNG
import WebImageCore
import WebImageFoundation

/// How the samples of a file become R, G, B, A of 8 bits with straight alpha.
struct PNGSamples {
    private let depth: Int
    private let channels: Int
    /// Of samples of up to 8 bits that stand alone, what each becomes. Else empty.
    private let table: [UInt8]
    /// The colour that is transparent. Empty when none is.
    private let key: [UInt16]

    /// `nil` for a palette that breaks a rule: libpng knows what becomes of it.
    init?(_ file: PNGFile) {
        depth = file.header.depth
        channels = file.header.colorType.channelCount
        let transparency = file.usableTransparency.map { [UInt8](file.data.part($0.body)) } ?? []
        if file.header.colorType == .palette {
            guard let palette = file.soundPalette else { return nil }
            (table, key) = (Self.table(palette: palette, alphas: transparency), [])
        } else {
            let words = stride(from: 0, to: transparency.count, by: 2).map {
                UInt16(transparency[$0]) << 8 | UInt16(transparency[$0 + 1])
            }
            let isTable = channels == 1 && depth <= 8
            table = isTable ? Self.table(depth: depth, key: words.first) : []
            key = isTable ? [] : words
        }
    }

    /// Of one pixel. At least 1: filters of smaller pixels go by bytes.
    var bytesPerPixel: Int { max(1, channels * depth / 8) }

    /// `nil` when a row is too long to be held.
    func bytesPerRow(width: Int) -> Int? {
        let (bits, overflow) = width.multipliedReportingOverflow(by: channels * depth)
        return overflow ? nil : bits / 8 + (bits % 8 == 0 ? 0 : 1)
    }

    /// Fills `target` with pixels. `row` is of the file, its filter taken off.
    func expand(_ row: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        let isDone = unsafe table.withUnsafeBufferPointer { table in
            var samples = unsafe cwebimage_png_samples(
                table: table.isEmpty ? nil : table.baseAddress, channels: UInt32(channels), depth: UInt32(depth),
                has_key: !key.isEmpty, key: (0, 0, 0))
            if key.count == 1 { unsafe samples.key = (key[0], 0, 0) }
            if key.count == 3 { unsafe samples.key = (key[0], key[1], key[2]) }
            return unsafe cwebimage_png_expand(
                &samples, row.baseAddress?.assumingMemoryBound(to: UInt8.self), row.count,
                target.baseAddress?.assumingMemoryBound(to: UInt8.self), target.count)
        }
        precondition(isDone, "a row of the png is shorter than its width")
    }

    /// An index outside the palette is black.
    private static func table(palette: [UInt8], alphas: [UInt8]) -> [UInt8] {
        var table = (0..<256).flatMap { _ in [0, 0, 0, 255] as [UInt8] }
        for index in 0..<palette.count / 3 {
            for channel in 0..<3 { table[index * 4 + channel] = palette[index * 3 + channel] }
        }
        for (index, alpha) in alphas.enumerated() { table[index * 4 + 3] = alpha }
        return table
    }

    /// Of grey. Only as many bits of the key count as a sample has.
    private static func table(depth: Int, key: UInt16?) -> [UInt8] {
        let maximum = 1 << depth - 1
        var table = [UInt8](repeating: 0, count: 1024)
        for value in 0...maximum {
            let gray = UInt8(value * (255 / maximum))
            let isKey = key.map { Int($0) & maximum == value } ?? false
            table.replaceSubrange(value * 4..<value * 4 + 4, with: [gray, gray, gray, isKey ? 0 : 255])
        }
        return table
    }
}

extension PNGHeader.ColorType {
    /// How many samples a pixel has.
    var channelCount: Int {
        switch self {
        case .gray, .palette: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }
}

extension PNGFile {
    /// The colours of a palette that keeps the rules: R, G, B.
    fileprivate var soundPalette: [UInt8]? {
        guard let palette, data.isSound(palette) else { return nil }
        let count = palette.body.count
        guard count > 0, count % 3 == 0, count / 3 <= 1 << header.depth else { return nil }
        return [UInt8](data.part(palette.body))
    }
}
