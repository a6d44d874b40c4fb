import Foundation
import Testing
import WebImageCore
import WebImageJXL
import WebImagePixels

/// What stands before the samples of a JPEG XL frame, and makes libjxl allocate.
@Suite struct JXLSamplesTests {
    private typealias Frame = JXLBitFile.Frame
    private typealias Writer = (inout JXLBitFile) -> Void
    private let coder = JPEGXLCoder()

    /// A picture of a frame that is kept for patches, and one that is shown.
    private func file(side: Int, groupShift: Int = 3, features: Int = 0, _ sections: [Writer]) -> Data {
        var file = JXLBitFile(width: side, height: side)
        file.add(Frame(kind: .referenceOnly, size: (16, 16), reference: 1))
        file.add(Frame(isLast: true, features: features, groupShift: groupShift, sections: sections))
        return file.data
    }

    /// The error, which must be the same however the bytes come.
    private func refusal(_ data: Data) -> ImageError? {
        let error = failure { _ = try coder.decode(data) }
        #expect(failure { _ = try coder.fed(data) }?.message == error?.message)
        return error
    }

    private func expectRefusal(_ data: Data, _ what: String) throws {
        let error = try #require(refusal(data))
        #expect(error.code == .limitExceeded)
        #expect(error.message.contains("frame 1,") && error.message.contains(what), "\(error.message)")
    }

    // MARK: Rightful files

    @Test("Pictures of other writers are read through", arguments: ["curves.jxl", "patches.jxl", "decisions.jxl"])
    func fixtures(_ name: String) throws {
        let data = try modernFixture(name)
        let image = try coder.decode(data)
        #expect(Set(image.pixels.allColors.map(String.init(describing:))).count >= 4)
        #expect(try coder.fed(data).pixels.distance(to: image.pixels) == 0)
    }

    @Test func transforms() throws {
        let writers: [Writer] = [{ $0.writePalette() }, { $0.writeUsualSqueeze() }]
        for transforms in [[], [writers[0]], [writers[1]], writers, [writers[0], writers[0]]] {
            let data = file(side: 100) { file in
                file.writeModular(transforms: transforms)
                file.writeZeros(contextCount: 6)
                file.writeZeros(contextCount: 1)
            }
            #expect(refusal(data) == nil)
        }
    }

    @Test func patchesAndCurves() throws {
        let patches = file(side: 40, features: 2) { file in
            file.writePatches(ofFrame: 1, side: 16, count: 100)
            file.writeSamples()
        }
        #expect(refusal(patches) == nil)
        let curve = file(side: 40, features: 16) { file in
            file.writeCurve(pointCount: 10)
            file.writeSamples()
        }
        #expect(refusal(curve) == nil)
    }

    // MARK: Few bytes that ask for much

    @Test func aTreeOfTheFrame() throws {
        let data = file(side: 1024) { file in
            file.write(0b1_1, 2)
            file.writeTree(exponent: 16, property: 255)
        }
        // It took 280 MB.
        #expect(data.count < 80)
        try expectRefusal(data, "tree")
    }

    @Test func aTreeOfASection() throws {
        try expectRefusal(
            file(side: 512) { file in
                file.writeModular()
                file.writeTree(exponent: 17, property: 255)
            }, "tree")
    }

    @Test func aTreeOfASquare() throws {
        // All channels are larger than a square, so that nothing of them follows in the first section.
        let square: Writer = { file in
            file.writeModular(isOfFrame: false)
            file.writeTree(exponent: 16, property: 255)
        }
        let nothing: Writer = { _ in }
        let sections: [Writer] = [{ $0.writeModular() }, nothing, nothing, square, square, square, square]
        try expectRefusal(file(side: 300, groupShift: 1, sections), "tree")
    }

    @Test func aTreeThatLibjxlTakesNotEither() {
        let data = file(side: 16) { file in
            file.writeModular()
            file.writeTree(exponent: 16, property: 2)
        }
        #expect(refusal(data)?.code == .badImageData)
    }

    @Test func propertiesOfAWidePalette() throws {
        try expectRefusal(
            file(side: 100) { file in
                file.writeModular(transforms: [{ $0.writePalette() }])
                file.writeTree(exponent: 3, property: 255)
            }, "tree")
    }

    @Test func palettesOverAndOver() throws {
        try expectRefusal(
            file(side: 64) { file in
                file.writeModular(transforms: [Writer](repeating: { $0.writePalette() }, count: 200))
            }, "channels")
    }

    @Test func channelsByHalving() throws {
        try expectRefusal(
            file(side: 64) { file in file.writeModular(transforms: [{ $0.writeSqueeze(stepCount: 296) }]) }, "halving")
    }

    @Test func patchesWithoutNumber() throws {
        try expectRefusal(
            file(side: 40, features: 2) { $0.writePatches(ofFrame: 1, side: 1, count: 1_000_000) }, "patches")
    }

    @Test func patchesOverThePictureTimeAndAgain() throws {
        try expectRefusal(
            file(side: 40, features: 2) { $0.writePatches(ofFrame: 1, side: 16, count: 100_000) }, "patches over")
    }

    @Test func aCurveWithoutEnd() throws {
        let data = file(side: 1024, features: 16) { $0.writeCurve(pointCount: 1000) }
        try expectRefusal(data, "curves")
    }

    // MARK: What is said of whom

    @Test func framesBeforeAHostileOneAreShown() throws {
        var file = JXLBitFile(width: 512, height: 512, isAnimated: true)
        file.add(Frame(duration: 3))
        file.add(
            Frame(
                isLast: true,
                sections: [
                    { file in
                        file.writeModular()
                        file.writeTree(exponent: 17, property: 255)
                    }
                ]))
        let frames = try coder.frames(of: file.data, options: DecodeOptions())
        #expect(frames.frameCount == 2)
        for _ in 0..<2 {
            #expect(failure { _ = try frames.frame(at: 1) }?.code == .limitExceeded)
            #expect(try frames.frame(at: 0).pixelSize == PixelSize(512, 512))
        }
        #expect(try coder.probe(file.data).frameCount == 2)
    }

    @Test func aSectionThatEndsTooEarly() {
        #expect(refusal(file(side: 40) { $0.write(1, 8) })?.message.contains("ends too early") == true)
    }

    private func file(side: Int, features: Int = 0, _ section: @escaping Writer) -> Data {
        file(side: side, features: features, [section])
    }
}
