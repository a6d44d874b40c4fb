import Foundation
import Testing
import WebImageCore
import WebImagePixels

/// Feeds the first bytes of files to a coder that reads any header and says how many bytes it was given.
@Suite struct ProbePrefixTests {
    struct AnyHeader: ImageCoder {
        var minimum = 0

        func canDecode(_ data: Data) -> Bool { FormatSniffer.format(of: data) != nil }

        func probe(_ data: Data) throws(ImageError) -> ImageProbe {
            guard data.count >= minimum, let format = FormatSniffer.format(of: data) else {
                throw ImageError(.badImageData, .decode, "cut")
            }
            return ImageProbe(format: format, size: PixelSize(data.count, 1))
        }

        func decode(
            _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
        ) throws(ImageError) -> DecodedImage {
            throw ImageError(.badImageData, .decode, "reads headers only")
        }
    }

    /// The probe, and how many bytes it took.
    private func fed(_ file: Data, _ coder: AnyHeader = AnyHeader()) throws -> (probe: ImageProbe, count: Int)? {
        let coders = CodersManager([coder])
        var wanted = 1
        for _ in 0..<200 {
            let prefix = file.prefix(wanted)
            switch try coders.probe(prefix: prefix, isComplete: prefix.count == file.count) {
            case .found(let probe): return (probe, prefix.count)
            case .needsBytes(let count):
                try #require(count > prefix.count)
                wanted = count
            case .unknown: return nil
            }
        }
        Issue.record("it never ends")
        return nil
    }

    private func big(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func little(_ number: Int, _ count: Int = 4) -> [UInt8] { big(number, count).reversed() }

    private let pixels = [UInt8](repeating: 0x55, count: 100_000)

    private func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        big(body.count) + Array(name.utf8) + body + [0, 0, 0, 0]
    }

    @Test func jpeg() throws {
        let profile = [0xFF, 0xE2] + big(30_002, 2) + [UInt8](repeating: 0xAA, count: 30_000)
        let head: [UInt8] = [0xFF, 0xD8] + profile + [0xFF, 0xFF, 0xDA] + big(8, 2) + [1, 1, 0, 0, 63, 0]
        let found = try #require(try fed(Data(head + pixels)))
        #expect(found.probe.isFinal)
        #expect(found.count >= head.count)
        #expect(found.count < head.count + 1024)
    }

    @Test func png() throws {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let head =
            signature + chunk("IHDR", [UInt8](repeating: 1, count: 13)) + chunk("acTL", big(7) + big(0))
            + chunk("iCCP", [UInt8](repeating: 9, count: 5000))
        let found = try #require(try fed(Data(head + chunk("IDAT", pixels))))
        #expect(found.probe.frameCount == 7)
        #expect(!found.probe.isFinal)
        #expect(found.count == head.count + 8 || found.count == 1024 + 8)
    }

    @Test func gif() throws {
        let head =
            Array("GIF89a".utf8) + little(10, 2) + little(10, 2) + [0x81, 0, 0] + [UInt8](repeating: 0, count: 12)
            + [0x21, 0xFE, 200] + [UInt8](repeating: 1, count: 200) + [0] + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        let found = try #require(try fed(Data(head + pixels)))
        #expect(found.count >= head.count)
        #expect(found.count < 2048)
    }

    @Test(arguments: [false, true])
    func webP(_ isAnimated: Bool) throws {
        let flags: UInt8 = isAnimated ? 0x22 : 0x20
        let head =
            Array("RIFF".utf8) + little(200_000) + Array("WEBPVP8X".utf8) + little(10) + [flags]
            + [UInt8](repeating: 0, count: 9) + Array("ICCP".utf8) + little(3001) + [UInt8](repeating: 7, count: 3002)
        let found = try #require(try fed(Data(head + pixels)))
        #expect(found.probe.isFinal == !isAnimated)
        #expect(found.count >= head.count + 8)
        #expect(found.count < head.count + 1024)
    }

    private func box(_ name: String, _ body: [UInt8]) -> [UInt8] { big(body.count + 8) + Array(name.utf8) + body }

    @Test func boxes() throws {
        let meta = box("meta", [UInt8](repeating: 3, count: 2000))
        let still = box("ftyp", Array("avif\0\0\0\0mif1".utf8)) + meta
        let stillFound = try #require(try fed(Data(still + box("mdat", pixels))))
        #expect(stillFound.count == still.count)
        #expect(stillFound.probe.isFinal)
        let sequence =
            box("ftyp", Array("avis\0\0\0\0msf1".utf8)) + meta + box("mdat", pixels)
            + box("moov", [UInt8](repeating: 2, count: 50))
        #expect(try #require(try fed(Data(sequence + pixels))).count == sequence.count)
        let jxl =
            [UInt8]([0, 0, 0, 12]) + Array("JXL \r\n".utf8) + [0x87, 0x0A] + box("ftyp", Array("jxl \0\0\0\0".utf8))
        let exif = box("Exif", pixels)
        #expect(try #require(try fed(Data(jxl + exif + box("jxlc", pixels)))).count == jxl.count + exif.count + 256)
        #expect(try #require(try fed(Data([0xFF, 0x0A] + pixels))).count < 2048)
    }

    @Test func tiff() throws {
        // The directory stands behind the pixels, and one of its values behind itself.
        var block = EXIFBlock(.littleEndian)
        let start = block.append([block.long(0x0100, 5), block.text(0x010E, String(repeating: "x", count: 500))])
        let directory = block.bytes[start...]
        let head = [0x49, 0x49, 42, 0] + little(8 + pixels.count)
        var moved = [UInt8](directory)
        moved.replaceSubrange(14 + 8..<14 + 12, with: little(8 + pixels.count + 30))
        let file = Data(head + pixels + moved)
        let found = try #require(try fed(file + Data(pixels)))
        #expect(found.count == file.count)
        #expect(found.probe.isFinal)
    }

    @Test func smallFormats() throws {
        let bitmap = [0x42, 0x4D] + [UInt8](repeating: 0, count: 12) + little(40) + pixels
        #expect(try #require(try fed(Data(bitmap))).count <= 1024)
        let entry = [16, 16, 0, 0, 1, 0, 32, 0] + little(40) + little(38)
        let icon = [0, 0, 1, 0, 2, 0] + entry + entry + pixels
        #expect(try #require(try fed(Data(icon))).count <= 1024)
        let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'/>".utf8)
        #expect(try #require(try fed(drawing)).count <= drawing.count)
    }

    @Test func coderThatWantsMore() throws {
        let file = Data([0xFF, 0xD8, 0xFF, 0xDA, 0, 2] + pixels)
        let found = try #require(try fed(file, AnyHeader(minimum: 50_000)))
        #expect((50_000...file.count).contains(found.count))
        #expect(throws: ImageError.self) { try fed(file, AnyHeader(minimum: 1_000_000)) }
    }

    @Test func limits() throws {
        let endless = Data([0xFF, 0xD8] + (0..<20_000).flatMap { _ in [0xFF, 0xE0, 0, 2] as [UInt8] })
        var limits = DecodeLimits()
        limits.maxByteCount = 60_000
        let coders = CodersManager([AnyHeader()])
        #expect(throws: ImageError.self) {
            try coders.probe(prefix: endless.prefix(60_000), isComplete: false, limits: limits)
        }
        #expect(
            try coders.probe(prefix: endless.prefix(59_999), isComplete: false, limits: limits) == .needsBytes(60_000))
        // A segment said to end behind the limit does not have to be there.
        limits.maxByteCount = 10_000
        let far = Data([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF])
        #expect(try coders.probe(prefix: far, isComplete: false, limits: limits) == .needsBytes(4096))
    }

    @Test func unknown() throws {
        #expect(try fed(Data(pixels)) == nil)
        #expect(try fed(Data("short".utf8)) == nil)
        #expect(try CodersManager().probe(prefix: Data(), isComplete: true) == .unknown)
        #expect(try CodersManager().probe(prefix: Data(), isComplete: false) == .needsBytes(64))
        #expect(try CodersManager().probe(prefix: Data(pixels.prefix(64)), isComplete: false) == .needsBytes(1024))
    }

    @Test func randomBytesBehindSignatures() throws {
        let signatures: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF89a".utf8),
            Array("RIFF____WEBPVP8X".utf8), [0, 0, 0, 24] + Array("ftypavif".utf8), [0xFF, 0x0A],
            [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0A], [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42],
        ]
        var state: UInt64 = 7
        for signature in signatures {
            for round in 0..<100 {
                let noise = (0..<round * 3).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(state >> 56)
                }
                let file = Data(signature + noise)
                let answer = try? CodersManager([AnyHeader()]).probe(prefix: file, isComplete: false)
                if case .needsBytes(let count) = answer { #expect(count > file.count) }
            }
        }
    }
}
