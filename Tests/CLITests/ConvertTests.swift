import Foundation
import Testing
import WebImage
import WebImageTesting

@Suite("Command line: convert")
struct ConvertTests {
    @Test("An interrupt ends a conversion, whatever it is at, and nothing is written")
    func interruptedConversion() async throws {
        let workshop = try Workshop()
        let pipe = Pipe()
        let tool = try workshop.start(
            ["convert", "-", "out.png", "--resize", "9000x9000", "--blur", "30"], from: pipe.fileHandleForReading)
        // More than a pipe holds: once all is written the tool reads, and so heeds signals.
        try pipe.fileHandleForWriting.write(
            contentsOf: TestPictures.solidPNG(red: 9, green: 8, blue: 7, width: 999, height: 99))
        try pipe.fileHandleForWriting.close()
        tool.interrupt()
        let result = try await tool.result()
        #expect(result.status == 130)
        #expect(result.output.isEmpty && result.errors.isEmpty)
        #expect(!workshop.names(in: "").contains { $0.contains("out.png") })
    }

    @Test("convert to .rgba gives straight rows, from every format that it wrote before")
    func convertRoundTrip() async throws {
        let workshop = try Workshop()
        let pixels: [UInt8] = [10, 20, 30, 255]
        try workshop.write(TestPictures.solidPNG(red: 10, green: 20, blue: 30, width: 3, height: 2), "a.png")
        #expect(try await workshop.run("convert", "a.png", "a.rgba").status == 0)
        let bare = try workshop.contents("a.rgba")
        #expect(Array(bare) == Array(repeating: pixels, count: 6).flatMap(\.self))
        for name in ["b.png", "b.webp", "b.jpg"] {
            #expect(try await workshop.run("convert", "a.png", name, "--quality", "100").status == 0)
            #expect(try await workshop.run("convert", name, "b.rgba").status == 0)
            let back = try workshop.contents("b.rgba")
            #expect(zip(back, bare).allSatisfy { abs(Int($0) - Int($1)) <= 4 } && back.count == bare.count)
        }
        #expect(try CodersManager.shared.probe(workshop.contents("b.jpg")).format == .jpeg)
        #expect(try CodersManager.shared.probe(workshop.contents("b.webp")).format == .webP)
        #expect(workshop.names(in: ".").filter { $0.contains(".tmp") }.isEmpty)
    }

    @Test("convert keeps straight alpha, stands pictures upright, takes a frame and a size")
    func convertChoices() async throws {
        let workshop = try Workshop()
        #expect(try await workshop.run("convert", fixture("halo_16.png"), "halo.rgba").status == 0)
        let halo = try workshop.contents("halo.rgba")
        #expect(halo.count == 16 * 16 * 4)
        #expect(Array(halo.prefix(4)) == [255, 0, 0, 255])
        #expect(halo[15 * 4 + 3] == 0)
        #expect(try await workshop.run("convert", fixture("exif_6.jpg"), "up.png").status == 0)
        #expect(try CodersManager.shared.probe(workshop.contents("up.png")).size == PixelSize(16, 32))
        #expect(try await workshop.run("convert", fixture("gif_loop2.gif"), "f.rgba", "--frame", "1").status == 0)
        #expect(Array(try workshop.contents("f.rgba").prefix(4)) == [0, 255, 0, 255])
        let beyond = try await workshop.run("convert", fixture("gif_loop2.gif"), "g.rgba", "--frame", "2")
        #expect(beyond.status == 1 && beyond.errorLines.count == 1)
        #expect(!workshop.names(in: ".").contains("g.rgba"))
        #expect(try await workshop.run("convert", fixture("base.jpg"), "s.png", "--resize", "10x7").status == 0)
        #expect(try CodersManager.shared.probe(workshop.contents("s.png")).size == PixelSize(10, 7))
    }

    @Test("S3 S4 convert keeps an animation, smaller or not, and takes one frame when told")
    func convertAnimations() async throws {
        let workshop = try Workshop()
        let source = try CodersManager.shared.probe(Data(contentsOf: URL(filePath: fixture("gif_prev_chain.gif"))))
        for name in ["a.webp", "a.png", "a.gif"] {
            #expect(try await workshop.run("convert", fixture("gif_prev_chain.gif"), name).status == 0)
            let probe = try CodersManager.shared.probe(workshop.contents(name))
            #expect(probe.frameCount == 4 && probe.size == source.size && probe.durations == source.durations)
        }
        let small = try await workshop.run(
            "convert", fixture("gif_loop2.gif"), "s.webp", "--thumbnail", "1x1", "--quality", "100")
        #expect(small.status == 0)
        let frames = try CodersManager.shared.frames(of: workshop.contents("s.webp"), options: DecodeOptions())
        #expect(frames.frameCount == 2 && frames.loopCount == 3)
        #expect(try frames.frame(at: 1).pixels.color(x: 0, y: 0) == PixelColor(0, 255, 0))
        let resized = ["convert", fixture("gif_bg_region.gif"), "r.gif", "--resize", "6x5"]
        #expect(try await workshop.start(resized).result().status == 0)
        let probe = try CodersManager.shared.probe(workshop.contents("r.gif"))
        #expect(probe.frameCount == 3 && probe.size == PixelSize(6, 5))
        for arguments in [["f.gif", "--frame", "1"], ["f.jpg"], ["f.rgba"]] {
            let result = try await workshop.start(["convert", fixture("gif_loop2.gif")] + arguments).result()
            #expect(result.status == 0)
        }
        #expect(try CodersManager.shared.probe(workshop.contents("f.gif")).frameCount == 1)
    }

    @Test("convert of an animation with a damaged frame names it and writes nothing")
    func convertDamagedAnimation() async throws {
        let workshop = try Workshop()
        var bytes = try Data(contentsOf: URL(filePath: fixture("gif_prev_chain.gif")))
        // In the last frame: before its codes, the trailer and the empty block, a code size that is none.
        let last = try #require(bytes.lastIndex(of: 0x2C))
        bytes[last + 10] = 99
        try workshop.write(bytes, "damaged.gif")
        let result = try await workshop.run("convert", "damaged.gif", "out.webp")
        #expect(result.status == 1)
        #expect(result.errorLines.count == 1 && result.errors.contains("frame 3: "))
        #expect(workshop.names(in: ".").filter { $0.contains("out.") }.isEmpty)
    }

    @Test("convert --linear and --filter change how --resize and --thumbnail weigh pixels")
    func convertInLinearLight() async throws {
        let workshop = try Workshop()
        // Stripes, white and black.
        var stripes = try #require(PixelBuffer(size: PixelSize(32, 32), layout: .init(alpha: .opaque)))
        stripes.withUnsafeMutableBytes { bytes in
            for place in bytes.indices { bytes[place] = place % 4 == 3 || place / 4 % 2 == 0 ? 255 : 0 }
        }
        try workshop.write(
            CodersManager.shared.encode(DecodedImage(pixels: stripes), to: .png, options: .init()), "stripes.png")
        func gray(_ arguments: String...) async throws -> UInt8 {
            let command = ["convert", "stripes.png", "gray.rgba", "--filter", "box"] + arguments
            #expect(try await workshop.start(command).result().status == 0)
            return try workshop.contents("gray.rgba")[0]
        }
        for size in [["--resize", "8x8"], ["--thumbnail", "8x8"]] {
            #expect(try await gray(size[0], size[1]) == 128)
            #expect(try await gray(size[0], size[1], "--linear") == 188)
        }
    }

    @Test("convert cuts, turns and colours a picture, and every frame of an animation")
    func convertChanges() async throws {
        let workshop = try Workshop()
        let cut = ["convert", fixture("base.jpg"), "c.png", "--crop", "10x6+2+1", "--rotate", "90", "--grayscale"]
        #expect(try await workshop.start(cut).result().status == 0)
        let image = try CodersManager.shared.decode(workshop.contents("c.png"))
        #expect(image.pixelSize == PixelSize(6, 10))
        let color = try #require(image.pixels.color(x: 3, y: 3))
        #expect(color.red == color.green && color.green == color.blue)
        let inverted = ["convert", fixture("gif_loop2.gif"), "i.png", "--invert", "--resize", "4x4"]
        #expect(try await workshop.start(inverted).result().status == 0)
        let frames = try CodersManager.shared.frames(of: workshop.contents("i.png"), options: DecodeOptions())
        #expect(frames.frameCount == 2)
        #expect(try frames.frame(at: 1).pixels.color(x: 2, y: 2) == PixelColor(255, 0, 255))
        let outside = try await workshop.run("convert", fixture("base.jpg"), "o.png", "--crop", "5x5+4000+0")
        #expect(outside.status == 1 && outside.errorLines.count == 1 && !workshop.names(in: ".").contains("o.png"))
    }

    @Test("convert works in a pipe, and reads URLs")
    func convertPipes() async throws {
        let workshop = try Workshop()
        let server = try ScriptedHTTPServer()
        server.script("/a", .picture())
        let piped = try await workshop.run("convert", "-", "-", "--format", "jpeg", input: TestPictures.red)
        #expect(piped.status == 0)
        #expect(try CodersManager.shared.probe(piped.outputBytes).format == .jpeg)
        #expect(try await workshop.run("convert", server.url("/a").absoluteString, "u.webp").status == 0)
        #expect(try CodersManager.shared.probe(workshop.contents("u.webp")).format == .webP)
    }

    @Test("convert leaves nothing half-written, and what was there where it fails")
    func convertFailures() async throws {
        let workshop = try Workshop()
        try workshop.write(Data("precious".utf8), "out.png")
        for input in [fixture("cut60.jpg"), fixture("wave.bin"), fixture("bomb_50000.png"), "missing.jpg"] {
            let result = try await workshop.run("convert", input, "out.png")
            #expect(result.status == 1)
            #expect(result.errorLines.count == 1)
            #expect(result.errors.hasPrefix("webimage: \(input): "))
        }
        #expect(try workshop.contents("out.png") == Data("precious".utf8))
        let result = try await workshop.run("convert", fixture("base.jpg"), "no/such/folder/out.png")
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("webimage: no/such/folder/out.png: store: "))
        #expect(workshop.names(in: ".").filter { $0.contains(".tmp") || $0 == "no" }.isEmpty)
    }

    private func fixture(_ name: String) -> String {
        Workshop.fixtures.appending(path: name).path(percentEncoded: false)
    }
}
