import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What stands in the chunks that libpng does not tell of: the animation (APNG) and an orientation behind the pixels.
struct PNGChunks {
    /// An animation as its chunks describe it (PNG Third Edition, 11.3.6).
    struct Animation {
        /// How often it plays; 0 is for ever.
        var loopCount: Int
        /// How long each frame shows, in milliseconds.
        var durations: [Int]
    }

    /// `nil` for a still picture.
    private(set) var animation: Animation?
    private(set) var orientation: Orientation = .up

    /// Walks over the chunks and stops at the first that is not whole.
    init(_ data: Data) {
        let reader = ByteReader(data, .bigEndian)
        var walk = Walk()
        var offset = 8
        while let count = reader.uint32(offset), let name = reader.bytes(offset + 4, count: 4),
            let body = reader.bytes(offset + 8, count: count)
        {
            guard walk.take(String(decoding: name, as: UTF8.self), ByteReader(body, .bigEndian)) else { break }
            if name.elementsEqual("eXIf".utf8) { orientation = Orientation(exifBlock: body) ?? .up }
            offset += 12 + count
        }
        animation = walk.animation
    }

    /// The animation chunks seen so far.
    private struct Walk {
        private var announced: (frameCount: Int, loopCount: Int)?
        private var hasPixels = false
        private var durations: [Int] = []

        /// `false` when nothing after this chunk matters.
        mutating func take(_ name: String, _ body: ByteReader) -> Bool {
            switch name {
            case "IEND": return false
            case "IDAT": hasPixels = true
            // Behind the pixels it makes no animation.
            case "acTL" where !hasPixels && announced == nil:
                if let frameCount = body.uint32(0), let loopCount = body.uint32(4) {
                    announced = (frameCount, loopCount)
                }
            case "fcTL": append(body)
            default: break
            }
            return true
        }

        private mutating func append(_ body: ByteReader) {
            guard let announced, durations.count < announced.frameCount,
                let numerator = body.uint16(20), let denominator = body.uint16(22)
            else { return }
            durations.append(numerator * 1000 / (denominator == 0 ? 100 : denominator))
        }

        var animation: Animation? {
            guard let announced, !durations.isEmpty else { return nil }
            return Animation(loopCount: announced.loopCount, durations: durations)
        }
    }
}
