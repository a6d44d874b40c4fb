import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What a header says, for formats whose header is simple. Asked before the loader: some loaders make room before they
/// tell the size, and some complain to the terminal when they are stopped.
struct PixbufHeader {
    private let data: Data
    private let reader: ByteReader
    private let loaderName: String

    init(_ data: Data, of format: PixbufFormat) {
        self.data = data
        reader = ByteReader(data, .littleEndian)
        loaderName = format.loaderName
    }

    /// `nil` where only the loader can tell.
    var size: PixelSize? {
        switch loaderName {
        case "tga": sizeOf(reader.uint16(12), reader.uint16(14))
        case "pnm": netpbmSize
        case "xbm": sizeOf(number(after: "_width"), number(after: "_height"))
        case "xpm": pixmapSize
        default: nil
        }
    }

    /// Whether transparency is possible.
    var mayHaveAlpha: Bool {
        switch loaderName {
        case "pnm", "xbm": false
        case "tga": (reader.uint8(17) ?? 0) & 0x0F != 0
        default: true
        }
    }

    // MARK: Headers of text

    private static let headSize = 4096

    private var head: Data { data.prefix(Self.headSize) }

    /// The two numbers behind the signature; a comment ends with its line.
    private var netpbmSize: PixelSize? {
        var text = String(decoding: head.dropFirst(2), as: UTF8.self)[...]
        func next() -> Int? {
            text = text.drop { $0.isWhitespace }
            while text.hasPrefix("#") {
                text = text.drop { !$0.isNewline }.drop { $0.isWhitespace }
            }
            defer { text = text.drop { $0.isNumber } }
            return Self.number(text)
        }
        let width = next()
        return sizeOf(width, next())
    }

    /// The first two numbers of the first string.
    private var pixmapSize: PixelSize? {
        let text = String(decoding: head, as: UTF8.self).drop { $0 != "{" }.drop { $0 != "\"" }.dropFirst()
        let words = text.prefix { $0 != "\"" }.split(whereSeparator: \.isWhitespace)
        return words.count >= 2 ? sizeOf(Int(words[0]), Int(words[1])) : nil
    }

    private func number(after name: String) -> Int? {
        let text = String(decoding: head, as: UTF8.self)
        guard let place = text.split(separator: name, maxSplits: 1).dropFirst().first else { return nil }
        return Self.number(place.drop { $0.isWhitespace })
    }

    private static func number(_ text: Substring) -> Int? {
        Int(text.prefix { $0.isNumber })
    }

    private func sizeOf(_ width: Int?, _ height: Int?) -> PixelSize? {
        guard let width, let height else { return nil }
        return PixelSize(width, height)
    }
}
