import Foundation
import Testing
import WebImageColor

@Suite struct ColorTransformTests {
    @Test("B35 a profile that is broken or for other channels is ignored, one that is not is applied")
    func B35_profile() throws {
        let transform = try #require(ColorTransform(SourceColor(.rgb, .profile(swapped))))
        #expect(isNear(transform.convert([255, 0, 0, 255]), [0, 255, 0, 255]))
        #expect(isNear(transform.convert([0, 255, 0, 77]), [255, 0, 0, 77]))
        #expect(isNear(transform.convert([0, 0, 255, 0]), [0, 0, 255, 0]))
        #expect(isNear(transform.convert([128, 128, 128, 1]), [128, 128, 128, 1], within: 1))
        #expect(ColorTransform(SourceColor(.gray, .profile(swapped))) == nil)
        #expect(ColorTransform(SourceColor(.rgb, .profile(Data("no profile at all".utf8)))) == nil)
    }

    @Test func sRGBInItsOwnWordsIsNoWork() {
        let sRGB = swapped.renaming(["rXYZ": "gXYZ", "gXYZ": "rXYZ"])
        #expect(ColorTransform(SourceColor(.rgb, .profile(sRGB))) == nil)
        #expect(ColorTransform(SourceColor(.rgb, .codePoints(primaries: 1, transfer: 13))) == nil)
        #expect(ColorTransform(SourceColor()) == nil)
        #expect(ColorTransform(SourceColor(.gray)) == nil)
    }

    @Test func widePrimaries() throws {
        let transform = try #require(ColorTransform(SourceColor(.rgb, .codePoints(primaries: 12, transfer: 13))))
        // Reference values of CSS Color 4: color(display-p3 0.5 0.25 0.25) is rgb(138, 61, 63) in sRGB.
        #expect(isNear(transform.convert([255, 255, 255, 255]), [255, 255, 255, 255], within: 1))
        #expect(isNear(transform.convert([0, 0, 0, 9]), [0, 0, 0, 9], within: 0))
        #expect(isNear(transform.convert([255, 0, 0, 255]), [255, 0, 0, 255]))
        #expect(isNear(transform.convert([128, 64, 64, 255]), [138, 61, 63, 255], within: 2))
    }

    @Test func gammaAndPrimaries() throws {
        let primaries = SourceColor.Primaries(
            white: .init(0.3127, 0.329), red: .init(0.64, 0.33), green: .init(0.3, 0.6), blue: .init(0.15, 0.06))
        let linear = try #require(ColorTransform(SourceColor(.rgb, .primaries(primaries, gamma: 1))))
        // Half of the light is 188 in sRGB.
        #expect(isNear(linear.convert([128, 128, 128, 5]), [188, 188, 188, 5], within: 1))
        let gray = try #require(ColorTransform(SourceColor(.gray, .primaries(primaries, gamma: 1))))
        #expect(isNear(gray.convert([128, 128, 128, 5]), [188, 188, 188, 5], within: 1))
    }

    @Test("Each grey of linear light has its sample, the dark ones too", arguments: [1.0, 1.8, 2.2])
    func grayCurves(exponent: Double) throws {
        let primaries = SourceColor.Primaries(
            white: .init(0.3127, 0.329), red: .init(0.64, 0.33), green: .init(0.3, 0.6), blue: .init(0.15, 0.06))
        let gray = try #require(ColorTransform(SourceColor(.gray, .primaries(primaries, gamma: exponent))))
        for sample in UInt8.min...UInt8.max {
            // IEC 61966-2-1.
            let light = pow(Double(sample) / 255, exponent)
            let encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            let expected = UInt8((255 * encoded).rounded())
            #expect(isNear(gray.convert([sample, 0, 0, 9]), [expected, expected, expected, 9], within: 1))
        }
    }

    @Test func senselessNumbersAreIgnored() {
        let point = SourceColor.Primaries.Point(0.3, 0.3)
        let flat = SourceColor.Primaries(white: point, red: point, green: point, blue: point)
        let zero = SourceColor.Primaries.Point(0, 0)
        let none = SourceColor.Primaries(white: zero, red: zero, green: zero, blue: zero)
        let infinite = SourceColor.Primaries.Point(.infinity, .nan)
        let endless = SourceColor.Primaries(white: infinite, red: infinite, green: infinite, blue: infinite)
        for primaries in [flat, none, endless] {
            for gamma in [2.2, 0, -1, .nan, .infinity, 1e300] {
                for channels in [SourceColor.Channels.rgb, .gray, .cmyk] {
                    let pixel = ColorTransform(SourceColor(channels, .primaries(primaries, gamma: gamma)))?
                        .convert([1, 2, 3, 4])
                    #expect(pixel == nil || pixel?.count == 4)
                }
            }
        }
        #expect(ColorTransform(SourceColor(.rgb, .primaries(flat, gamma: 2.2))) == nil)
        #expect(ColorTransform(SourceColor(.rgb, .primaries(none, gamma: 2.2))) == nil)
        #expect(ColorTransform(SourceColor(.rgb, .primaries(endless, gamma: 2.2))) == nil)
        for code in [-1, 0, 2, 3, 255, .max] {
            #expect(ColorTransform(SourceColor(.rgb, .codePoints(primaries: code, transfer: 13))) == nil)
            #expect(ColorTransform(SourceColor(.rgb, .codePoints(primaries: 12, transfer: code))) == nil)
        }
    }

    @Test func plainInk() throws {
        let plain = try #require(ColorTransform(SourceColor(.cmyk)))
        #expect(plain.convert([0, 0, 0, 0]) == [255, 255, 255, 255])
        #expect(plain.convert([0, 0, 0, 255]) == [0, 0, 0, 255])
        #expect(plain.convert([255, 0, 0, 0]) == [0, 255, 255, 255])
        #expect(plain.convert([55, 155, 0, 128]) == [100, 50, 127, 255])
        // An RGB profile says nothing about ink.
        let ignored = try #require(ColorTransform(SourceColor(.cmyk, .profile(swapped))))
        #expect(ignored.convert([255, 0, 0, 0]) == [0, 255, 255, 255])
    }

    @Test func grayProfile() throws {
        // A curve of one number is an exponent, in 8.8 fixed point: 1.0.
        let linear = profile("GRAY", tag: "kTRC", Array("curv".utf8) + bigEndian(0) + bigEndian(1) + [1, 0])
        let transform = try #require(ColorTransform(SourceColor(.gray, .profile(linear))))
        #expect(isNear(transform.convert([128, 128, 128, 200]), [188, 188, 188, 200], within: 1))
        #expect(ColorTransform(SourceColor(.rgb, .profile(linear))) == nil)
    }

    @Test func oneTransformOnManyThreads() throws {
        let transform = try #require(ColorTransform(SourceColor(.rgb, .profile(swapped))))
        let row = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let expected = transform.convert(row)
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            #expect(transform.convert(row) == expected)
        }
    }

    @Test func sharedTransforms() throws {
        let source = SourceColor(.rgb, .profile(swapped))
        let first = try #require(ColorTransform.shared(for: source))
        // Others may use the transforms at the same time, but not between every two calls.
        #expect((0..<100).contains { _ in ColorTransform.shared(for: source) === ColorTransform.shared(for: source) })
        // Eight others push it out.
        for gamma in 1...8 {
            let primaries = SourceColor.Primaries(
                white: .init(0.3127, 0.329), red: .init(0.64, 0.33), green: .init(0.3, 0.6), blue: .init(0.15, 0.06))
            let other = SourceColor(.rgb, .primaries(primaries, gamma: Double(gamma)))
            #expect(ColorTransform.shared(for: other) != nil)
        }
        let again = try #require(ColorTransform.shared(for: source))
        #expect(again !== first)
        #expect(again.convert([255, 0, 0, 255]) == first.convert([255, 0, 0, 255]))
        #expect(ColorTransform.shared(for: SourceColor()) == nil)
        DispatchQueue.concurrentPerform(iterations: 50) { index in
            let source = SourceColor(.rgb, .codePoints(primaries: [5, 6, 9, 11, 12][index % 5], transfer: 4))
            #expect(ColorTransform.shared(for: source) != nil)
        }
    }
}
