import Foundation
import Testing
import WebImageColor

/// Whatever the bytes: no transform, or one that gives some colour.
@Suite struct HostileProfileTests {
    private func tries(_ data: Data) {
        for channels in [SourceColor.Channels.rgb, .gray, .cmyk] {
            let pixel = ColorTransform(SourceColor(channels, .profile(data)))?.convert([10, 200, 30, 40])
            #expect(pixel == nil || pixel?.count == 4)
        }
    }

    @Test func everyPrefix() {
        for count in 0..<swapped.count {
            tries(swapped.prefix(count))
        }
    }

    @Test func everyByteChanged() {
        // The header, the table of tags and every eleventh byte behind them.
        let places = Array(0..<260) + Array(stride(from: 260, to: swapped.count, by: 11))
        for place in places where place < swapped.count {
            for bits in [0xFF, 0x80] as [UInt8] {
                var broken = swapped
                broken[broken.startIndex + place] ^= bits
                let pixel = ColorTransform(SourceColor(.rgb, .profile(broken)))?.convert([10, 200, 30, 40])
                #expect(pixel == nil || pixel?.last == 40)
            }
        }
    }

    @Test func randomBytes() {
        var state: UInt64 = 42
        for round in 0..<200 {
            var bytes = (0..<600).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(state >> 56)
            }
            // Past the first glance, for every other one.
            if round % 2 == 0 { bytes.replaceSubrange(0..<200, with: swapped.prefix(200)) }
            tries(Data(bytes))
        }
    }

    @Test func tablesLargerThanTheirTags() {
        // 255 points on each of three sides, of which no byte is there: 32 MB and 99 MB.
        let header = Array("mft1".utf8) + bigEndian(0) + [3, 3, 255, 0]
        let identity = (0..<9).flatMap { bigEndian($0 % 4 == 0 ? 0x10000 : 0) }
        tries(profile("RGB ", tag: "A2B0", header + identity + [UInt8](repeating: 0, count: 2000), pcs: "Lab "))
        let wide = Array("mft2".utf8) + bigEndian(0) + [3, 3, 255, 0] + identity + [0, 2, 0, 2]
        tries(profile("RGB ", tag: "A2B0", wide + [UInt8](repeating: 0, count: 2000), pcs: "Lab "))
        // 255 to the power of 15.
        let many = Array("mAB ".utf8) + bigEndian(0) + [15, 3, 0, 0] + [0, 0, 0, 32].flatMap { bigEndian(UInt32($0)) }
        tries(profile("RGB ", tag: "A2B0", many + [UInt8](repeating: 255, count: 64), pcs: "Lab "))
        let floats =
            Array("mpet".utf8) + bigEndian(0) + [0, 3, 0, 3] + bigEndian(1) + bigEndian(24) + bigEndian(64)
            + Array("clut".utf8) + bigEndian(0) + [0, 3, 0, 3] + [UInt8](repeating: 200, count: 64)
        tries(profile("RGB ", tag: "D2B0", floats))
        #expect(ColorTransform(SourceColor(.rgb, .profile(profile("RGB ", tag: "D2B0", floats)))) == nil)
    }

    @Test func tableThatIsThere() throws {
        // Two points on each side: the cube of sRGB corners turned inside out.
        let identity = (0..<9).flatMap { bigEndian($0 % 4 == 0 ? 0x10000 : 0) }
        let ramp = (0...255).map(UInt8.init)
        // Every node is a mid grey of Lab, so that everything becomes it.
        let grid = [UInt8]([UInt8]((0..<8).flatMap { _ in [128, 128, 128] as [UInt8] }))
        let body =
            Array("mft1".utf8) + bigEndian(0) + [3, 3, 2, 0] + identity + ramp + ramp + ramp + grid + ramp + ramp
            + ramp
        let source = SourceColor(.rgb, .profile(profile("RGB ", tag: "A2B0", body, pcs: "Lab ")))
        let transform = try #require(ColorTransform(source))
        let pixel = transform.convert([255, 0, 0, 7])
        #expect(pixel[3] == 7)
        #expect(pixel == transform.convert([0, 255, 3, 7]))
    }

    @Test func otherClasses() {
        for name in ["link", "abst", "nmcl", "\0\0\0\0"] {
            #expect(ColorTransform(SourceColor(.rgb, .profile(swapped.renaming(["mntr": name])))) == nil)
        }
    }
}
