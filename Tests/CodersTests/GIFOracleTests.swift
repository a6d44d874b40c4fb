import Foundation
import Testing
import WebImageCore
import WebImageGIF
import WebImagePixels

/// The same frames as giflib, which reads the files here and nowhere else.
@Suite struct GIFOracleTests {
    private func expectSame(_ data: Data, _ comment: Comment) throws {
        let oracle = try #require(GIFOracle(data), comment)
        var options = DecodeOptions()
        options.colorConversion = .none
        let frames = try GIFCoder().frames(of: data, options: options)
        #expect(frames.frameCount == oracle.frames.count, comment)
        for (index, expected) in oracle.frames.enumerated() {
            #expect(try frames.frame(at: index).pixels.words == expected, "\(comment) frame \(index)")
        }
    }

    @Test(
        "B22 the field cases",
        arguments: [
            "gif_first_small_prev", "gif_first_small_prev_noflag", "gif_bg_region", "gif_bg_region_noflag",
            "gif_prev_chain", "gif_prev_chain_noflag", "gif_delays", "gif_loop2",
        ])
    func B22_fieldCases(_ name: String) throws {
        try expectSame(fixture("\(name).gif"), "\(name)")
    }

    @Test("the corpus, as far as giflib reads it")
    func corpus() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let place = ProcessInfo.processInfo.environment["WEBIMAGE_CORPUS"].map { URL(fileURLWithPath: $0) }
        let folder = (place ?? root.appending(path: "shared/corpus")).appending(path: "open/gif")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        for name in names.sorted() where name.hasSuffix(".gif") {
            let data = try Data(contentsOf: folder.appending(path: name))
            guard GIFOracle(data) != nil else { continue }
            try expectSame(data, "\(name)")
        }
    }

    @Test("files of our own, of few colours and many", arguments: [2, 3, 5, 17, 100, 256])
    func ownFiles(_ colorCount: Int) throws {
        for size in [PixelSize(1, 1), PixelSize(3, 200), PixelSize(151, 97)] {
            var source = PaintedFrames(count: 4) { frame, x, y in
                var noise = UInt64(frame * 7919 + y * 104_729 + x + 1) &* 0x9E37_79B9_7F4A_7C15
                noise ^= noise >> 29
                let level = UInt8(noise &* 0xBF58_476D_1CE4_E5B9 >> 40 % UInt64(colorCount))
                return level == 1 && frame != 2 ? .clear : PixelColor(level, UInt8(frame * 3), 255 - level)
            }
            source.size = size
            let data = try GIFCoder().encode(source, to: .gif, options: EncodeOptions())
            try expectSame(data, "\(size), \(colorCount) colours")
        }
    }

    @Test("a picture that is all noise, and one of a single colour")
    func extremes() throws {
        let noise = try picture(PixelSize(300, 300), alpha: .opaque) { x, y in
            PixelColor(UInt8((x * 31 + y * 17 + x * y * 7) % 251), 0, 0)
        }
        try expectSame(GIFCoder().encode(noise, to: .gif, options: EncodeOptions()), "noise")
        let plain = try picture(PixelSize(700, 500), alpha: .opaque) { _, _ in .fullBlue }
        try expectSame(GIFCoder().encode(plain, to: .gif, options: EncodeOptions()), "plain")
    }

    @Test("codes that no writer would choose", arguments: 0..<24)
    func anyCodes(_ seed: Int) throws {
        try expectSame(GIFCodeStream(seed: UInt64(seed)).file, "seed \(seed)")
    }
}

/// A frame of codes that are drawn by lot among those that stand for something: long strings, a table that stays full,
/// a code used before it is complete, one to clear where none is due.
private struct GIFCodeStream {
    private var state: UInt64
    private var codes: [(code: Int, width: Int)] = []
    private let clearCode: Int
    private var width: Int
    private var count: Int
    /// How many indices each code stands for.
    private var lengths: [Int]
    private var previous: Int?
    private var pixelCount = 0

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let codeSize = 2 + Int(seed % 7)
        clearCode = 1 << codeSize
        width = codeSize + 1
        count = clearCode + 2
        lengths = Array(repeating: 1, count: clearCode) + Array(repeating: 0, count: 4096)
        codes = [(clearCode, width)]
        let clears = seed % 3 == 0
        for _ in 0..<9000 { add(nextCode(usingNew: seed % 4 == 1 ? 900 : 50, clearing: clears ? 3 : 0)) }
    }

    var file: Data {
        let size = PixelSize(97, pixelCount / 97)
        let palette = (0..<256).map { PixelColor(UInt8($0), UInt8($0 / 2), 3) }
        let frame = GIFPieces.Frame(size: size, palette: palette, indices: [])
        // Without the pixels of the pieces: their code size, a block of codes, and the empty block.
        let start = GIFPieces.header(size) + GIFPieces.frame(frame).dropLast(5)
        let codeSize = UInt8(clearCode.trailingZeroBitCount)
        return Data(start + [codeSize] + GIFPieces.blocks(packed) + [0x3B])
    }

    private var packed: [UInt8] {
        var (bytes, bits, bitCount) = ([UInt8](), 0, 0)
        for (code, width) in codes {
            bits |= code << bitCount
            bitCount += width
            while bitCount >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                bitCount -= 8
            }
        }
        return bytes + [UInt8(bits & 255)]
    }

    private mutating func lot(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    /// - Parameters:
    ///   - share: Of 1,000, how many are codes that are not complete yet.
    ///   - clearing: Of 1,000, how many clear.
    private mutating func nextCode(usingNew share: Int, clearing: Int) -> Int {
        if lot(1000) < clearing { return clearCode }
        guard previous != nil else { return lot(clearCode) }
        if count < 4096, lot(1000) < share { return count }
        let code = lot(count)
        return code == clearCode || code == clearCode + 1 ? 0 : code
    }

    private mutating func add(_ code: Int) {
        codes.append((code, width))
        guard code != clearCode else {
            (width, count, previous) = (clearCode.trailingZeroBitCount + 1, clearCode + 2, nil)
            return
        }
        if let previous, count < 4096 {
            lengths[count] = lengths[previous] + 1
            count += 1
        }
        pixelCount += lengths[code]
        previous = code
        if count == 1 << width, width < 12 { width += 1 }
    }
}
