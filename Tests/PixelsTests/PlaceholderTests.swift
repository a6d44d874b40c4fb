import Testing
import WebImagePixels

/// Right values are those of the Python packages `blurhash` 1.1.5 and `thumbhash-python` 1.0.1 over the same pixels.
@Suite("Placeholders from hashes")
struct PlaceholderTests {
    private func picture(transparentFrom edge: Int = .max) -> PixelBuffer {
        var pixels = PixelBuffer(size: PixelSize(12, 8), layout: .init(alpha: .straight))!
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<8 {
                for x in 0..<12 {
                    let pixel = [x * 20 % 256, y * 30 % 256, x * y * 5 % 256, x < edge ? 255 : 0]
                    for channel in 0..<4 { bytes[(y * 12 + x) * 4 + channel] = UInt8(pixel[channel]) }
                }
            }
        }
        return pixels
    }

    private func isNear(_ pixels: PixelBuffer, _ x: Int, _ y: Int, _ expected: PixelColor, by tolerance: Int) -> Bool {
        guard let color = pixels.color(x: x, y: y) else { return false }
        let pairs = [
            (color.red, expected.red), (color.green, expected.green), (color.blue, expected.blue),
            (color.alpha, expected.alpha),
        ]
        return pairs.allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }

    @Test("BlurHash: encoding gives the reference's text, for few and for all waves")
    func blurHashEncoding() {
        #expect(BlurHash(of: picture()).text == "LiFP4v2*sPt8u-R.jxjFf2fUfOfN")
        #expect(BlurHash(of: picture(), horizontalComponents: 1, verticalComponents: 1).text == "00FP4v")
        #expect(
            BlurHash(of: picture(), horizontalComponents: 99, verticalComponents: 9).text
                == "|iFP4v2*sPt8N[xYN?xaN?u-R.jxjFa_jJa}niWrf2fUfOfNfTfNfSfPfSxuSdjqj^a_j[a}oJWoeCf5fTf5fOfAfOf8fRx?S"
                + "hjqj=b0j;a~oLWneBe=fSe?fNe?fRe.fRx@Sxjrk9a~kCa^ofWqeBe=fSe:fRe.fTe.fO")
    }

    @Test("BlurHash: decoding gives the reference's pixels")
    func blurHashDecoding() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        #expect(hash.horizontalComponents == 4 && hash.verticalComponents == 3)
        let pixels = try #require(hash.pixels(size: PixelSize(4, 3)))
        #expect(pixels.alpha == .opaque)
        let expected = [
            [(135, 164, 177), (161, 173, 177), (181, 180, 171), (160, 172, 174)],
            [(124, 154, 169), (148, 148, 154), (164, 145, 134), (146, 152, 155)],
            [(124, 144, 154), (144, 134, 132), (163, 130, 104), (148, 140, 134)],
        ]
        for y in 0..<3 {
            for x in 0..<4 {
                let (red, green, blue) = expected[y][x]
                #expect(isNear(pixels, x, y, PixelColor(UInt8(red), UInt8(green), UInt8(blue)), by: 1))
            }
        }
    }

    @Test(
        "BlurHash: what is no hash is nil",
        arguments: [
            "", "L", "00FP4", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj", "L\u{e9}HV6n", "\"0FP4v",
            String(repeating: "~", count: 5_000),
        ])
    func noBlurHash(text: String) {
        #expect(BlurHash(text) == nil)
    }

    /// The halves of bytes; a wave that is nothing lies between two steps, so that rounding decides.
    private func isNear(_ bytes: [UInt8], _ expected: [UInt8]) -> Bool {
        let pairs = zip(bytes.flatMap { [$0 & 15, $0 >> 4] }, expected.flatMap { [$0 & 15, $0 >> 4] })
        return bytes.count == expected.count && pairs.allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    @Test("ThumbHash: encoding gives the reference's bytes, with alpha and without")
    func thumbHashEncoding() {
        let opaque: [UInt8] = [
            24, 9, 14, 29, 152, 96, 135, 135, 128, 121, 135, 150, 135, 120, 135, 120, 247, 88, 15, 247, 136,
        ]
        let bytes = ThumbHash(of: picture()).bytes
        #expect(bytes.prefix(5) == opaque.prefix(5) && isNear(bytes, opaque))
        let clear: [UInt8] = [
            16, 153, 133, 11, 140, 88, 53, 116, 48, 169, 136, 251, 36, 103, 244, 140, 143, 117, 136, 136, 119, 136, 136,
        ]
        let clearBytes = ThumbHash(of: picture(transparentFrom: 6)).bytes
        #expect(clearBytes.prefix(6) == clear.prefix(6) && isNear(clearBytes, clear))
    }

    @Test("ThumbHash: decoding gives the reference's pixels, proportions and alpha")
    func thumbHashDecoding() throws {
        let opaque = try #require(
            ThumbHash([
                24, 9, 14, 29, 152, 96, 135, 135, 128, 121, 135, 150, 135, 120, 135, 120, 247, 88, 15, 247, 136,
            ]))
        #expect(opaque.preferredSize == PixelSize(32, 23) && !opaque.hasAlpha)
        let pixels = try #require(opaque.pixels())
        #expect(isNear(pixels, 0, 0, PixelColor(33, 21, 0), by: 1))
        #expect(isNear(pixels, 31, 0, PixelColor(246, 8, 16), by: 1))
        #expect(isNear(pixels, 0, 22, PixelColor(0, 241, 15), by: 1))
        #expect(isNear(pixels, 16, 11, PixelColor(114, 104, 133), by: 1))

        let clear = try #require(
            ThumbHash([
                16, 153, 133, 11, 140, 88, 53, 116, 48, 169, 136, 251, 36, 103, 244, 140, 143, 117, 136, 136, 119, 136,
                136,
            ]))
        #expect(clear.preferredSize == PixelSize(32, 19) && clear.hasAlpha)
        let some = try #require(clear.pixels())
        #expect(isNear(some, 0, 0, PixelColor(42, 34, 0), by: 1))
        // Colour under little alpha is rounded when it is multiplied.
        #expect(isNear(some, 16, 9, PixelColor(67, 94, 54, 130), by: 2))
    }

    @Test("ThumbHash: cut bytes are nil, any others a picture")
    func hostileThumbHash() {
        let whole = ThumbHash(of: picture()).bytes
        for count in 0..<whole.count { #expect(ThumbHash(Array(whole.prefix(count))) == nil) }
        for value in [UInt8(0), 255, 0x80] {
            let hash = ThumbHash([UInt8](repeating: value, count: 32))
            #expect(hash?.pixels() != nil)
        }
        #expect(ThumbHash([UInt8](repeating: 0, count: 33)) == nil)
    }

    @Test("Sizes of nothing and of too much are nil; one pixel and a line are pictures")
    func sizes() throws {
        let blur = BlurHash(of: picture())
        #expect(blur.pixels(size: PixelSize(0, 3)) == nil && blur.pixels(size: PixelSize(1 << 20, 2)) == nil)
        #expect(blur.pixels(size: PixelSize(1, 1)) != nil && blur.pixels(size: PixelSize(1, 50)) != nil)
        #expect(
            blur.pixels(size: PixelSize(4, 3), punch: .nan)?.color(x: 1, y: 1)
                == blur.pixels(size: PixelSize(4, 3))?.color(x: 1, y: 1))
        let line = PixelBuffer(size: PixelSize(300, 1))!
        #expect(BlurHash(of: line).averageColor == PixelColor(255, 255, 255))
        #expect(ThumbHash(of: line).hasAlpha && ThumbHash(of: line).pixels() != nil)
    }
}
