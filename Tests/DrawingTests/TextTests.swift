import Testing
import WebImageCore
import WebImageDrawing
import WebImagePixels

@Suite("Text")
struct TextTests {
    private let style = TextStyle(family: "DejaVu Sans", size: 20)

    @Test("Text has ink in its box and nowhere else, in its colour")
    func ink() throws {
        let size = try style.size(of: "Hello")
        var colored = style
        colored.color = red
        let image = try render(120, 60) { $0.drawText("Hello", at: ImagePoint(10, 15), style: colored) }
        let ink = try #require(image.ink)
        #expect(ink.x >= 10 && ink.y >= 15)
        #expect(Double(ink.x + ink.width) <= 11 + size.width && Double(ink.y + ink.height) <= 16 + size.height)
        #expect(Double(ink.width) > 0.85 * size.width && ink.height > 10 && image.coverage > 100)
        for y in ink.y..<ink.y + ink.height {
            for x in ink.x..<ink.x + ink.width {
                #expect(image.color(x, y).map { $0.alpha == 0 || ($0.red >= 254 && $0.green == 0) } == true)
            }
        }
    }

    @Test("A size is that of the font's lines, and the same at every scale")
    func measuring() throws {
        let one = try style.size(of: "Hamburg")
        let two = try style.size(of: "Hamburg\nHamburg")
        #expect(one.height > 20 && one.height < 30 && abs(two.height - 2 * one.height) < 0.1 && one.width == two.width)
        let doubled = try TextStyle(family: "DejaVu Sans", size: 40).size(of: "Hamburg")
        #expect(abs(doubled.width - 2 * one.width) < 0.5)
        let empty = try style.size(of: "")
        #expect(empty.width == 0 && abs(empty.height - one.height) < 0.1)
        let wrapped = try style.size(of: "one two three four five", width: 60)
        #expect(wrapped.width <= 60 && wrapped.height > 3 * one.height)
        let small = try render(100, 30) { $0.drawText("Hamburg", at: ImagePoint(0, 0), style: style) }
        let large = try render(100, 30, format: .init(scale: 4)) {
            $0.drawText("Hamburg", at: ImagePoint(0, 0), style: style)
        }
        let (inkSmall, inkLarge) = (try #require(small.ink), try #require(large.ink))
        #expect(abs(inkLarge.width - 4 * inkSmall.width) <= 8 && abs(large.coverage / 16 - small.coverage) < 10)
    }

    @Test("Lines stand where their alignment says")
    func alignment() throws {
        func left(_ alignment: TextAlignment) throws -> Int {
            var style = style
            style.alignment = alignment
            let image = try render(200, 30) { $0.drawText("iii", in: rect(0, 0, 200, 30), style: style) }
            return try #require(image.ink).x
        }
        let (leading, center, trailing) = (try left(.leading), try left(.center), try left(.trailing))
        #expect(leading < 10 && (85...100).contains(center) && trailing > 175)
    }

    @Test("Weight, slant, family and line height change what is drawn")
    func styles() throws {
        func coverage(_ change: (inout TextStyle) -> Void) throws -> Double {
            var style = style
            change(&style)
            return try render(200, 80) { $0.drawText("Hamburg\nfonts", at: ImagePoint(0, 0), style: style) }.coverage
        }
        let regular = try coverage { _ in }
        #expect(try coverage { $0.weight = .bold } > 1.2 * regular)
        #expect(try coverage { $0.family = "DejaVu Serif" } != regular)
        var loose = style
        loose.lineHeightMultiple = 2
        let usual = try style.size(of: "a\nb").height
        #expect(try loose.size(of: "a\nb").height > 1.4 * usual)
    }

    @Test("Text that does not fit ends in an ellipsis within its rectangle, or runs out of it")
    func truncation() throws {
        let text = String(repeating: "many words ", count: 50)
        let place = rect(0, 0, 150, 60)
        func ink(_ truncation: TextTruncation) throws -> PixelRect {
            var style = style
            style.truncation = truncation
            return try #require(try render(200, 200) { $0.drawText(text, in: place, style: style) }.ink)
        }
        for truncation in [TextTruncation.head, .middle, .tail] {
            let ink = try ink(truncation)
            #expect(ink.x + ink.width <= 151 && ink.y + ink.height <= 60 && ink.y + ink.height > 40)
        }
        #expect(try ink(.none).height > 150)
        var tail = style
        tail.truncation = .tail
        let narrow = try render(200, 200) { $0.drawText("abc", in: rect(0, 0, 1, 1), style: tail) }
        #expect(narrow.coverage > 0)
    }

    @Test("A family that does not exist is replaced, and so is a letter that no font has")
    func fallback() throws {
        let families = [
            "No Such Font At All", "", ",,,", "DejaVu Sans:bold", "a\u{0}b", String(repeating: "x", count: 9_999),
        ]
        for family in families {
            let image = try render(100, 40) {
                $0.drawText("Text", at: ImagePoint(0, 0), style: TextStyle(family: family, size: 20))
            }
            #expect(image.coverage > 50, "\(family.prefix(20))")
        }
        let strange = try render(60, 40) { $0.drawText("\u{10FFFD}\u{E000}", at: ImagePoint(0, 0), style: style) }
        #expect(strange.coverage > 10)
    }

    @Test("NUL is left out, and controls, marks and other scripts harm nothing")
    func strangeText() throws {
        let plain = try render(100, 40) { $0.drawText("ab", at: ImagePoint(0, 0), style: style) }
        let nul = try render(100, 40) { $0.drawText("a\u{0}b\u{0}", at: ImagePoint(0, 0), style: style) }
        #expect(plain.bytes == nul.bytes)
        let texts = [
            "", "\n\n", "\u{202E}abc\u{202C}", "e" + String(repeating: "\u{301}", count: 500), "مرحبا بالعالم",
            "👩‍👩‍👧‍👦", "\u{2028}\u{2029}\u{FEFF}\u{200B}", "<b>&amp;</b>", "\u{1}\u{7F}\u{9B}", "\t\t\t",
        ]
        for text in texts {
            _ = try render(100, 40) { $0.drawText(text, at: ImagePoint(0, 0), style: style) }
            _ = try render(100, 40) { $0.drawText(text, in: $0.bounds, style: style) }
        }
    }

    @Test("Markup is drawn as it stands")
    func markup() throws {
        #expect(try style.size(of: "<b>a</b>").width > 3 * style.size(of: "a").width)
    }

    @Test("Sizes that are no font and texts without end are one error")
    func badText() throws {
        for size in [0, -5, Double.nan, .infinity] {
            expectFailure { $0.drawText("a", at: ImagePoint(0, 0), style: TextStyle(size: size)) }
        }
        expectFailure(.limitExceeded) { $0.drawText("a", at: ImagePoint(0, 0), style: TextStyle(size: 1e300)) }
        for height in [0, -1, Double.nan, .infinity] {
            var style = style
            style.lineHeightMultiple = height
            expectFailure { $0.drawText("a", at: ImagePoint(0, 0), style: style) }
        }
        let long = String(repeating: "a", count: 100_000)
        expectFailure(.limitExceeded) { $0.drawText(long, at: ImagePoint(0, 0), style: style) }
        expectFailure(.limitExceeded) { $0.drawText(long, in: $0.bounds, style: style) }
        #expect { try style.size(of: long) } throws: { ($0 as? ImageError)?.code == .limitExceeded }
        for width in [0, -1, Double.nan] {
            #expect { try style.size(of: "a", width: width) } throws: { ($0 as? ImageError)?.code == .transformFailed }
        }
        expectFailure { $0.drawText("a", at: ImagePoint(.nan, 0), style: style) }
        expectFailure { $0.drawText("a", in: rect(0, 0, .infinity, 5), style: style) }
    }

    @Test("The longest text, and letters larger than the picture, are drawn")
    func largeText() throws {
        let long = String(repeating: "word ", count: TextStyle.maxLength / 5)
        let image = try render(100, 100) { $0.drawText(long, in: $0.bounds, style: style) }
        #expect(image.coverage > 500)
        let huge = try render(50, 50) { $0.drawText("■■", at: ImagePoint(-400, -600), style: TextStyle(size: 1_000)) }
        #expect(huge.coverage > 0)
    }

    @Test("Text that is far too small or too large leaves the fonts as they were")
    func extremeSizes() throws {
        let expected = try render(100, 40) { $0.drawText("Text", at: ImagePoint(0, 0), style: style) }.bytes
        for size in [1e-300, 1e-9, 0.001, 0.9, 1_025, 30_000] {
            _ = try render(100, 40) { $0.drawText("Text", at: ImagePoint(0, 0), style: TextStyle(size: size)) }
        }
        for (x, y) in [(1e-6, 1.0), (1, 1e-6), (1e-5, 1e-5), (1e4, 1e-4), (3_000, 3_000)] {
            _ = try render(100, 40) { context in
                context.scaleBy(x: x, y: y)
                context.drawText("Text", at: ImagePoint(0, 0), style: style)
            }
        }
        #expect(try render(100, 40) { $0.drawText("Text", at: ImagePoint(0, 0), style: style) }.bytes == expected)
        let (small, large) = (try TextStyle(size: 0.01).size(of: "Text"), try TextStyle(size: 10_000).size(of: "Text"))
        #expect(abs(large.width / small.width - 1e6) < 1e4)
    }

    @Test("Large letters are drawn as shapes and look as small ones do")
    func largeLetters() throws {
        let text = "Rag"
        let small = try render(200, 120) { $0.drawText(text, at: ImagePoint(0, 0), style: TextStyle(size: 90)) }
        let large = try render(200, 120, format: .init(scale: 2)) {
            $0.drawText(text, at: ImagePoint(0, 0), style: TextStyle(size: 90))
        }
        #expect(abs(large.coverage / 4 - small.coverage) < 30)
    }

    @Test("Text turns with the drawing, and its opacity is the context's")
    func turned() throws {
        let image = try render(60, 120) { context in
            context.translateBy(x: 50, y: 10)
            context.rotate(by: .pi / 2)
            context.opacity = 0.5
            context.drawText("Hello", at: ImagePoint(0, 0), style: style)
        }
        let ink = try #require(image.ink)
        #expect(ink.height > 2 * ink.width && ink.y >= 9 && ink.x + ink.width <= 51)
        #expect(
            image.pixels.withUnsafeBytes { bytes in stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }.max() }
                == 128)
    }
}
