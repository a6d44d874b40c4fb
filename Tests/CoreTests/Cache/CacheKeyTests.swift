import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@Suite struct CacheKeyTests {
    @Test func aKeyWithoutFragmentsIsItsBase() {
        #expect(CacheKey("https://h/a.png").text == "https://h/a.png")
        #expect(CacheKey("").text == "")
    }

    @Test func fragmentsFollowTheBase() {
        let thumbnail = CacheKey.thumbnailFragment(size: ImageSize(100, 50), preservesAspectRatio: true)
        let key = CacheKey("https://h/a.png").appending(thumbnail).appending("RoundCorner(20.0,15,0.0,-)")
        #expect(key.text == "https://h/a.png-Thumbnail({100.0,50.0},1)-RoundCorner(20.0,15,0.0,-)")
        #expect(key == CacheKey("https://h/a.png", fragments: [thumbnail, "RoundCorner(20.0,15,0.0,-)"]))
        #expect(key.fragments == [thumbnail, "RoundCorner(20.0,15,0.0,-)"])
    }

    @Test func aRegionIsWrittenByCornerAndSize() {
        let fragment = CacheKey.regionFragment(PixelRect(x: -1, y: 20, width: 300, height: 200))
        #expect(fragment == "Region({-1,20},{300,200})")
        #expect(CacheKey("a", fragments: [fragment]).text == "a-" + fragment)
    }

    @Test func numbersAreWrittenShortestAndMinusZeroAsZero() {
        func fragment(_ width: Double, _ height: Double, _ preserves: Bool) -> String {
            CacheKey.thumbnailFragment(size: ImageSize(width, height), preservesAspectRatio: preserves)
        }
        #expect(fragment(-0.0, 0.1, false) == "Thumbnail({0.0,0.1},0)")
        #expect(fragment(1.0, 1, true) != fragment(1.04, 1, true))
        #expect(fragment(1.0000000001, 1, true) != fragment(1, 1, true))
        #expect(fragment(100, 50, true) == fragment(100.0, 0o62, true))
        #expect(fragment(100, 50, true) != fragment(10, 50, true))
    }

    @Test func whatIsNoCanonicalFragmentIsEscaped() {
        #expect(CacheKey("a", fragments: ["a-"]).text == "a-Key(a-)")
        #expect(CacheKey("a", fragments: [""]).text == "a-Key()")
        #expect(CacheKey("a", fragments: ["Key(x)"]).text == "a-Key(Key%28x%29)")
        #expect(CacheKey("a", fragments: ["A(1)-B(2)"]).text == "a-Key(A%281%29-B%282%29)")
        #expect(CacheKey("a", fragments: ["A(%)"]).text == "a-A(%)")
        #expect(CacheKey("a)").text == "a)-()")
    }

    @Test(
        "B01 keys: chains and parameters that a careless key merges",
        arguments: [
            (["a-", "bc"], ["a-b", "c"]),
            (["A(1)", "B(2)"], ["A(1)-B(2)"]),
            (["Blur(1.0)"], ["Blur(1.04)"]),
            (["Resize({100.0,50.0},0)"], ["Resize({10.0,50.0},0)"]),
            (["RoundCorner(5.0,3,0.0,-)"], ["RoundCorner(5.0,15,0.0,-)"]),
            (["A()", "B()"], ["B()", "A()"]),
            ([""], []),
        ])
    func B01_keysDiffer(first: [String], second: [String]) {
        let one = CacheKey("https://h/a.png", fragments: first)
        let other = CacheKey("https://h/a.png", fragments: second)
        #expect(one.text != other.text)
        #expect(one != other)
        #expect(DiskAddress(one).fileName != DiskAddress(other).fileName)
    }

    @Test func aBaseThatLooksLikeAFragmentIsNotOne() {
        #expect(CacheKey("a-Blur(1.0)") != CacheKey("a", fragments: ["Blur(1.0)"]))
    }

    @Test func spellingsOfOneLetterAreTwoKeys() {
        #expect(CacheKey("\u{E9}") != CacheKey("e\u{301}"))
        #expect(Set([CacheKey("\u{E9}"), CacheKey("e\u{301}")]).count == 2)
    }

    @Test func everyKeyReadsBackFromItsText() throws {
        var generator = SeededGenerator(seed: 42)
        var seen: [String: CacheKey] = [:]
        for _ in 0..<20_000 {
            var key = CacheKey(generator.text())
            for _ in 0..<Int.random(in: 0...3, using: &generator) { key = key.appending(generator.text()) }
            #expect(key == CacheKey(key.base, fragments: key.fragments))
            let parsed = try #require(ParsedKey(key.text), "\(key.text)")
            #expect(parsed.base == key.base, "\(key.text)")
            #expect(parsed.fragments == key.fragments, "\(key.text)")
            if let former = seen.updateValue(key, forKey: key.text) {
                #expect(former.base == key.base && former.fragments == key.fragments)
            }
        }
    }
}

/// A key read back from its text, from the right.
private struct ParsedKey {
    var base: String
    var fragments: [String] = []

    init?(_ text: String) {
        var rest = Array(text.unicodeScalars)
        while rest.last == ")" {
            guard let opening = Self.partner(rest), let dash = rest[..<opening].lastIndex(of: "-") else { return nil }
            let fragment = rest[(dash + 1)...]
            let name = Self.string(rest[(dash + 1)..<opening])
            rest.removeSubrange(dash...)
            if name.isEmpty { break }
            let arguments = fragment.dropFirst(name.unicodeScalars.count + 1).dropLast()
            fragments.insert(name == "Key" ? Self.unescaped(arguments) : Self.string(fragment), at: 0)
        }
        base = Self.string(rest[...])
    }

    /// The parenthesis that the last one closes.
    private static func partner(_ text: [Unicode.Scalar]) -> Int? {
        var depth = 0
        for index in text.indices.reversed() {
            if text[index] == ")" { depth += 1 }
            if text[index] == "(" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    private static func unescaped(_ text: ArraySlice<Unicode.Scalar>) -> String {
        string(text).replacing("%28", with: "(").replacing("%29", with: ")").replacing("%25", with: "%")
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}

extension SeededGenerator {
    /// A short text of the pieces that matter to keys.
    mutating func text() -> String {
        let pieces = ["-", "(", ")", "%", "Key", "A", "b", "28", "()", "Key(", "-()", "A(1)", ",", "é", "%25"]
        return (0..<Int.random(in: 0...6, using: &self)).map { _ in pieces.randomElement(using: &self)! }.joined()
    }
}
