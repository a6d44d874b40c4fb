import Foundation
import Synchronization
import Testing
import WebImageCore
import WebImagePixels
import WebImageSVG

@Suite struct SVGTests {
    private let coder = SVGCoder()

    private func svg(_ attributes: String, _ content: String = "") -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \(attributes)>\
            \(content)</svg>
            """.utf8)
    }

    private func straight(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> PixelBuffer {
        var options = options
        options.alpha = .straight
        return try coder.decode(data, options: options).pixels
    }

    // MARK: Size

    @Test(arguments: [
        ("width='20' height='10'", PixelSize(20, 10)),
        ("width='20' height='10' viewBox='0 0 1 1'", PixelSize(20, 10)),
        ("viewBox='0 0 40 30'", PixelSize(40, 30)),
        ("width='50' viewBox='0 0 100 200'", PixelSize(50, 100)),
        ("height='50' viewBox='0 0 100 200'", PixelSize(25, 50)),
        ("width='1in' height='25.4mm'", PixelSize(96, 96)),
        ("width='72pt' viewBox='0 0 2 1'", PixelSize(96, 48)),
        ("width='10.2' height='9.5'", PixelSize(11, 10)),
        ("width='100%' height='100%' viewBox='0 0 7 9'", PixelSize(7, 9)),
        ("", PixelSize(300, 150)),
        ("width='33'", PixelSize(33, 150)),
    ])
    func ownSize(_ attributes: String, _ size: PixelSize) throws {
        let data = svg(attributes)
        #expect(coder.canDecode(data))
        #expect(try coder.probe(data).size == size)
        let image = try coder.decode(data)
        #expect(image.pixelSize == size)
        #expect(image.attributes.isVector)
        #expect(!image.attributes.isThumbnail)
        #expect(image.attributes.format == .svg)
    }

    @Test(arguments: [
        "width='0' height='10'", "viewBox='0 0 0 0' width='0' height='0'",
    ])
    func noSize(_ attributes: String) {
        #expect(failure { _ = try coder.decode(svg(attributes)) }?.code == .badImageData)
    }

    @Test("CO-31 a vector picture is drawn at the size asked for, larger or smaller")
    func CO_31_thumbnail() throws {
        let data = svg("width='4' height='2'", "<rect width='2' height='2' fill='red'/>")
        let large = try coder.decode(data, options: .thumbnail(100, 100))
        #expect(large.pixelSize == PixelSize(100, 50))
        #expect(!large.attributes.isThumbnail)
        #expect(large.attributes.isVector)
        // Drawn, not enlarged: the edge is sharp.
        #expect(large.pixels.color(x: 49, y: 25) == .fullRed)
        #expect(large.pixels.color(x: 50, y: 25) == PixelColor.clear)
        let small = try coder.decode(data, options: .thumbnail(2, 2))
        #expect(small.pixelSize == PixelSize(2, 1))
        #expect(small.attributes.isThumbnail)
        #expect(small.pixels.color(x: 0, y: 0) == .fullRed)
    }

    @Test func stretchedAndWithinBytes() throws {
        let data = svg("width='4' height='2' viewBox='0 0 4 2'", "<rect width='4' height='1' fill='blue'/>")
        var options = DecodeOptions.thumbnail(10, 20)
        options.preservesAspectRatio = false
        let stretched = try straight(data, options)
        #expect(stretched.size == PixelSize(10, 20))
        #expect(stretched.color(x: 9, y: 9) == .fullBlue)
        #expect(stretched.color(x: 0, y: 10)?.alpha == 0)
        options.scaleDownByteLimit = 8
        #expect(try straight(data, options).size == PixelSize(2, 1))
    }

    @Test("The first bytes tell, as soon as the root element's start tag is whole")
    func firstBytes() throws {
        let prolog = """
            <?xml version='1.0'?>
            <!-- it's > or < -->
            <!DOCTYPE svg SYSTEM "a>b" [ <!-- ' --> <!ENTITY w "4'0>"> <?p '?> <!ENTITY h '30'> ]>
            """
        let content = String(repeating: "<path d='M1 1L5 2z'/>", count: 5000)
        let data = Data(prolog.utf8) + svg("id='a>b' desc=\"'>'\" width='40' height='&h;'", content)
        let manager = CodersManager([coder])
        var wanted = 64
        while case .needsBytes(let more) = try manager.probe(prefix: data.prefix(wanted), isComplete: false) {
            #expect(more > wanted && more <= max(1024, 2 * wanted))
            wanted = more
            guard wanted < data.count else { break }
        }
        #expect(wanted <= 1024)
        var expected = try coder.probe(data)
        #expect(expected.size == PixelSize(40, 30))
        expected.isFinal = false
        #expect(try manager.probe(prefix: data.prefix(wanted), isComplete: false) == .found(expected))
        #expect(try manager.probe(prefix: data.prefix(wanted), isComplete: true) == .found(coder.probe(data)))
    }

    @Test("A start tag tells as soon as it is whole, and not before")
    func everyPrefixOfAStartTag() throws {
        let data = svg("width='7' viewBox='0 0 2 4'", "<g/>")
        let manager = CodersManager([coder])
        let tagEnd = try #require(data.firstIndex(of: UInt8(ascii: ">"))) + 1
        for count in 4..<data.count {
            let answer = try manager.probe(prefix: data.prefix(count), isComplete: false)
            guard case .found(let probe) = answer else {
                #expect(count < tagEnd && answer == .needsBytes(1024), "\(count) bytes")
                continue
            }
            #expect(count >= tagEnd && probe.size == PixelSize(7, 14), "\(count) bytes")
        }
    }

    @Test("An endless start tag is asked for up to the limit")
    func endlessStartTag() throws {
        let data = Data("<svg xmlns='http://www.w3.org/2000/svg' a='".utf8) + Data(repeating: 0x61, count: 3 << 20)
        var (wanted, limits, rounds) = (64, DecodeLimits(), 0)
        limits.maxByteCount = 2 << 20
        let error = failure {
            let manager = CodersManager([coder])
            while case .needsBytes(let more) = try manager.probe(
                prefix: data.prefix(wanted), isComplete: false, limits: limits)
            {
                (wanted, rounds) = (more, rounds + 1)
            }
        }
        #expect(error?.code == .limitExceeded && wanted == limits.maxByteCount && rounds < 20)
    }

    // MARK: Pixels

    @Test func straightAlphaIsExact() throws {
        let data = svg("width='2' height='1'", "<rect width='1' height='1' fill='#ff8000' fill-opacity='0.5'/>")
        let color = try #require(try straight(data).color(x: 0, y: 0))
        #expect(color.distance(to: PixelColor(255, 128, 0, 128)) <= 1)
        let premultiplied = try coder.decode(data).pixels
        #expect(premultiplied.alpha == .premultiplied)
        premultiplied.withUnsafeRow(0) { #expect($0[0] == $0[3] && $0[4] == 0 && $0[7] == 0) }
    }

    @Test func coveredCompletelyIsOpaque() throws {
        let data = svg("width='3' height='3'", "<rect width='3' height='3' fill='#123456'/>")
        let pixels = try coder.decode(data).pixels
        #expect(pixels.alpha == .opaque)
        #expect(pixels.color(x: 2, y: 2) == PixelColor(0x12, 0x34, 0x56))
    }

    @Test func prologsAndPictures() throws {
        let inner = try fixture("px_10_20_30.png").base64EncodedString()
        let content = "<image width='4' height='4' xlink:href='data:image/png;base64,\(inner)'/>"
        let data = Data("<?xml version='1.0'?>\n<!-- a comment -->\n".utf8) + svg("width='4' height='4'", content)
        #expect(coder.canDecode(data))
        #expect(try straight(data).color(x: 1, y: 1)?.distance(to: PixelColor(10, 20, 30)) ?? 255 <= 1)
    }

    // MARK: Hostile files

    @Test("B34 nothing outside of the file is read")
    func B34_externalReferences() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("svg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appendingPathComponent("red.png")
        try fixture("square_8.png").write(to: picture)
        let shapes = folder.appendingPathComponent("shapes.svg")
        try svg("width='8' height='8'", "<rect id='r' width='8' height='8' fill='red'/>").write(to: shapes)
        let style = folder.appendingPathComponent("style.css")
        try Data("rect { fill: red; }".utf8).write(to: style)
        let contents = [
            "<image width='8' height='8' xlink:href='\(picture.path)'/>",
            "<image width='8' height='8' xlink:href='file://\(picture.path)'/>",
            "<image width='8' height='8' href='\(shapes.path)'/>",
            "<use xlink:href='\(shapes.path)#r'/>",
            "<use xlink:href='file://\(shapes.path)#r'/>",
            "<style>@import url('\(style.path)');</style><rect width='8' height='8' fill='none'/>",
            "<filter id='f'><feImage xlink:href='\(picture.path)'/></filter>"
                + "<rect width='8' height='8' fill='none' filter='url(#f)'/>",
        ]
        for content in contents {
            let drawn = try? straight(svg("width='8' height='8'", content))
            #expect(drawn?.color(x: 4, y: 4)?.alpha ?? 0 == 0, "\(content)")
        }
        let entity = "<!DOCTYPE svg [<!ENTITY e SYSTEM 'file://\(style.path)'>]>"
        let text = Data(entity.utf8) + svg("width='99' height='20'", "<text y='15'>&e;</text>")
        #expect((try? straight(text))?.allColors.contains { $0?.alpha != 0 } != true)
    }

    @Test("B34 entities that grow are an error or a picture, and soon")
    func B34_entityBomb() {
        let entities = (1..<12).map { "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>" }
        let head = "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY e0 'ha'>\(entities.joined())]>"
        expectPictureOrError(Data(head.utf8) + svg("width='9' height='9'", "<text>&e11;</text>"))
    }

    @Test("B34 references that multiply are an error or a picture, and soon")
    func B34_nestedUse() {
        let groups = (1..<20).map { level in
            "<g id='g\(level)'>" + String(repeating: "<use xlink:href='#g\(level - 1)'/>", count: 10) + "</g>"
        }
        let content = "<defs><rect id='g0' width='1' height='1'/>\(groups.joined())</defs><use xlink:href='#g19'/>"
        let data = svg("width='9' height='9'", content)
        #expect(failure { _ = try coder.decode(data) }?.message.contains("svg cannot be drawn") == true)
        expectPictureOrError(svg("width='9' height='9'", "<g id='a'><use xlink:href='#a'/></g>"))
    }

    @Test("B34 a huge picture is refused, and its thumbnail is drawn")
    func B34_hugeSize() throws {
        for attributes in ["width='1e9' height='1e9'", "viewBox='0 0 200000 2'"] {
            let data = svg(attributes)
            #expect(failure { _ = try coder.decode(data) }?.code == .limitExceeded, "\(attributes)")
            #expect(try coder.probe(data).size.width >= 200_000, "\(attributes)")
            let thumbnail = try? coder.decode(data, options: .thumbnail(10, 10))
            #expect(thumbnail.map { $0.pixelSize.width } ?? 10 == 10)
        }
        expectPictureOrError(svg("width='1e300' height='1e300' viewBox='0 0 1e300 1e-300'"))
        let small = svg("width='8' height='8'")
        #expect(failure { _ = try coder.decode(small, options: .thumbnail(1e6, 1e6)) }?.code == .limitExceeded)
        let long = svg("width='40000' height='1'")
        #expect(failure { _ = try coder.decode(long) }?.message.contains("32767 pixels a side") == true)
    }

    @Test func packedFilesAreRefused() {
        let error = failure { _ = try coder.decode(Data([0x1F, 0x8B, 8, 0, 0, 0])) }
        #expect(error?.message.contains("gzip") == true)
    }

    @Test func everyPrefixAndFlippedBit() {
        let content =
            "<defs><linearGradient id='l'><stop offset='1' stop-color='red'/></linearGradient></defs>"
            + "<path d='M1 1L5 2z' fill='url(#l)'/>"
        let whole = svg("width='6' height='6' viewBox='0 0 6 6'", content)
        for count in 0..<whole.count {
            #expect(throws: ImageError.self) { try coder.decode(whole.prefix(count)) }
        }
        var data = whole
        for index in data.indices {
            for bit in [0, 1, 4] {
                data[index] ^= 1 << bit
                expectPictureOrError(data)
                data[index] ^= 1 << bit
            }
        }
    }

    @Test func manyThreadsAtOnce() throws {
        let data = svg("width='30' height='30'", "<circle cx='15' cy='15' r='14' fill='teal'/>")
        let expected = try coder.decode(data).pixels.allColors
        let results = Mutex([Bool]())
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            let isEqual = (try? coder.decode(data).pixels.allColors) == expected
            results.withLock { $0.append(isEqual) }
        }
        #expect(results.withLock { $0 } == Array(repeating: true, count: 16))
    }

    @Test func theMonitorEndsTheWork() {
        let monitor = DecodeMonitor(limits: DecodeLimits(), isCancelled: { true })
        let data = svg("width='9' height='9'")
        #expect(
            failure { _ = try coder.decode(data, options: DecodeOptions(), monitor: monitor) }?.code == .cancelled)
        #expect(failure { _ = try coder.decode(data, options: DecodeOptions(frameIndex: 1)) }?.code == .badImageData)
    }

    private func expectPictureOrError(_ data: Data) {
        let options = DecodeOptions(limits: DecodeLimits(maxPixelCount: 1 << 14, maxDimension: 1 << 13))
        do {
            let image = try coder.decode(data, options: options)
            #expect(image.pixelSize.pixelCount ?? .max <= 1 << 14)
        } catch {
            #expect(error.message.contains("svg"))
        }
    }
}
