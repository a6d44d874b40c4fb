import Foundation
import Testing
import WebImageBMP
import WebImageCore
import WebImagePNG
import WebImagePixels

@Suite struct ICOTests {
    private let coder = ICOCoder(png: PNGCoder())
    private static let red = PixelColor(255, 0, 0)
    private static let clear = PixelColor(0, 0, 0, 0)

    private func straight(_ data: Data) throws -> PixelBuffer {
        var options = DecodeOptions()
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels
    }

    /// 2×1 pixels of 24 or 32 bits: red, red, and a mask that hides the second.
    private func bitmap(bits: Int, alpha: [UInt8] = [0, 0], mask: [UInt8] = [0b0100_0000, 0, 0, 0]) -> [UInt8] {
        let pixels: [UInt8] =
            bits == 24 ? [0, 0, 255, 0, 0, 255, 0, 0] : [0, 0, 255, alpha[0], 0, 0, 255, alpha[1]]
        return BMPFile(width: 2, height: 2, bits: bits, pixels: pixels + mask).bitmap
    }

    @Test("An icon and a cursor; the mask hides pixels")
    func mask() throws {
        for kind in [UInt8(1), 2] {
            let data = BMPFile.icon([bitmap(bits: 24)], kind: kind)
            #expect(FormatSniffer.format(of: data) == .ico)
            let probe = try coder.probe(data)
            #expect(probe.size == PixelSize(2, 1) && probe.hasAlpha && probe.format == .ico)
            #expect(try straight(data).allColors == [Self.red, Self.clear])
        }
    }

    @Test("Of 32 bits alpha counts, and the mask where alpha is 0 everywhere")
    func alpha() throws {
        let seen = try straight(BMPFile.icon([bitmap(bits: 32, alpha: [255, 9])]))
        #expect(seen.allColors == [Self.red, PixelColor(255, 0, 0, 9)])
        #expect(try straight(BMPFile.icon([bitmap(bits: 32)])).allColors == [Self.red, Self.clear])
        let unmasked = try straight(BMPFile.icon([bitmap(bits: 32, mask: [])]))
        #expect(unmasked.alpha == .opaque && unmasked.allColors == [Self.red, Self.red])
    }

    @Test("Pillow's icon of 16×16")
    func fixtureIcon() throws {
        let image = try coder.decode(fixture("../rarer/icon.ico"))
        #expect(image.pixelSize == PixelSize(16, 16) && image.attributes.format == .ico)
    }

    @Test("A list of as many as there can be, all one PNG, is read without a copy of each")
    func longList() throws {
        let png = try coders.encode(
            picture(PixelSize(3, 2), alpha: .opaque) { _, _ in Self.red }, to: .png, options: EncodeOptions())
        // 64 KiB that are in every entry.
        let file = [UInt8](png) + [UInt8](repeating: 0, count: 1 << 16)
        let count = 0xFFFF
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let entry = [UInt8](repeating: 0, count: 8) + number(file.count, 4) + number(6 + count * 16, 4)
        // A cursor: icons list no more than 255.
        var data = Data([0, 0, 2, 0] + number(count, 2))
        for _ in 0..<count { data += entry }
        #expect(try straight(data + file).allColors == Array(repeating: Self.red, count: 6))
    }

    @Test("The largest picture is decoded, and of one size the one with most bits")
    func choice() throws {
        let small = bitmap(bits: 32, alpha: [255, 255])
        let large = BMPFile(width: 2, height: 4, bits: 1, palette: [0, 0, 0, 0, 9, 9, 9, 0], pixels: .zeros(16)).bitmap
        #expect(try coder.decode(BMPFile.icon([small, large, small])).pixelSize == PixelSize(2, 2))
        #expect(try straight(BMPFile.icon([bitmap(bits: 24), small])).allColors == [Self.red, Self.red])
        // A damaged one leaves the others.
        #expect(try straight(BMPFile.icon([.zeros(40), small])).allColors == [Self.red, Self.red])
    }

    @Test("A PNG inside is read by the coder given for it")
    func embeddedPNG() throws {
        let png = try fixture("halo_16.png")
        let data = BMPFile.icon([bitmap(bits: 24), [UInt8](png)])
        let image = try coder.decode(data)
        #expect(image.attributes.format == .ico && !image.isAnimated)
        #expect(try image.pixels.allColors == PNGCoder().decode(png).pixels.allColors)
        #expect(try coder.probe(data).size == image.pixelSize)
        #expect(failure { _ = try ICOCoder().decode(data) }?.message.contains("ICOCoder(png:)") == true)
        let bomb = try fixture("bomb_50000.png")
        #expect(failure { _ = try coder.decode(BMPFile.icon([[UInt8](bomb)])) }?.code == .limitExceeded)
        // Icons are no bitmaps and TGA files no cursors.
        #expect(try !BMPCoder().canDecode(data) && !coder.canDecode(fixture("../rarer/rgb24.tga")))
    }

    @Test("A list of pictures that are not there", arguments: [18, 14])
    func farIcon(_ field: Int) throws {
        var data = try fixture("../rarer/icon.ico")
        data.replaceSubrange(18..<22, with: [0x69, 0x6F, 0x6E, 0x61])
        for error in [failure { _ = try coder.decode(data) }, failure { _ = try coder.probe(data) }] {
            #expect(error?.code == .badImageData && error?.message.contains("ico is damaged") == true)
        }
        #expect(failure { _ = try coder.decode(Data([0, 0, 1, 0, 0, 0])) }?.message.contains("no picture") == true)
        #expect(failure { _ = try coder.decode(Data([0, 0, 1, 0, 9, 0])) }?.message.contains("truncated") == true)
    }

    @Test func everyPrefixAndEveryFlippedBit() throws {
        let png = [UInt8](try fixture("px_10_20_30.png"))
        for file in [BMPFile.icon([bitmap(bits: 32), bitmap(bits: 24), png]), BMPFile.icon([bitmap(bits: 32)])] {
            for count in 0..<file.count { expectPictureOrError(of: coder, file.prefix(count)) }
            var data = file
            for index in data.indices {
                for bit in 0..<8 {
                    data[index] ^= 1 << bit
                    expectPictureOrError(of: coder, data)
                    data[index] ^= 1 << bit
                }
            }
        }
    }

    @Test("The first bytes tell, wherever the pictures lie")
    func firstBytes() throws {
        let data = BMPFile.icon([bitmap(bits: 24), bitmap(bits: 32)]) + Data(count: 4000)
        let manager = CodersManager([coder])
        var wanted = 64
        while wanted < data.count {
            guard case .needsBytes(let more) = try manager.probe(prefix: data.prefix(wanted), isComplete: false) else {
                break
            }
            #expect(more > wanted)
            wanted = more
        }
        #expect(wanted < 400)
        #expect(try manager.probe(prefix: data.prefix(wanted), isComplete: false) == .found(coder.probe(data)))
    }
}

extension [UInt8] {
    fileprivate static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
