import CWebImagePNG
import WebImageColor
import WebImageCore
import WebImageFoundation

extension PNGFile {
    /// What the samples mean: cICP before iCCP before sRGB before cHRM and gAMA (PNG Third Edition, 4.3). A profile for
    /// other channels than the file's is passed over by Little CMS.
    func color(limits: DecodeLimits) -> SourceColor {
        let channels: SourceColor.Channels =
            header.colorType == .gray || header.colorType == .grayAlpha ? .gray : .rgb
        if let encoding = codePoints { return SourceColor(channels, encoding) }
        if let profile = profile(limit: limits.maxMetadataByteCount) {
            return SourceColor(channels, .profile(profile))
        }
        if notes[.standardRGB] != nil { return SourceColor(channels) }
        return SourceColor(channels, gamma ?? .standard)
    }

    /// Full range RGB only: the others are not what the standard means for PNG.
    private var codePoints: SourceColor.Encoding? {
        guard let body = body(.codePoints), body.count == 4 else { return nil }
        let numbers = body.map(Int.init)
        guard numbers[2] == 0, numbers[3] == 1 else { return nil }
        return .codePoints(primaries: numbers[0], transfer: numbers[1])
    }

    /// Without a gamma, chromaticities alone say too little; without them, they are those of sRGB.
    private var gamma: SourceColor.Encoding? {
        guard let body = body(.gamma), body.count == 4, let value = ByteReader(body, .bigEndian).uint32(0), value > 0
        else { return nil }
        return .primaries(chromaticities ?? Self.standardPrimaries, gamma: 100_000 / Double(value))
    }

    private var chromaticities: SourceColor.Primaries? {
        guard let body = body(.chromaticities), body.count == 32 else { return nil }
        let reader = ByteReader(body, .bigEndian)
        let values = stride(from: 0, to: 32, by: 4).compactMap { reader.uint32($0).map { Double($0) / 100_000 } }
        guard values.allSatisfy({ $0 < 2 }), values[1] > 0 else { return nil }
        typealias Point = SourceColor.Primaries.Point
        return SourceColor.Primaries(
            white: Point(values[0], values[1]), red: Point(values[2], values[3]), green: Point(values[4], values[5]),
            blue: Point(values[6], values[7]))
    }

    private static let standardPrimaries = SourceColor.Primaries(
        white: .init(0.3127, 0.3290), red: .init(0.64, 0.33), green: .init(0.30, 0.60), blue: .init(0.15, 0.06))

    /// The embedded profile, inflated; `nil` when it is damaged or larger than the limit.
    func profile(limit: Int) -> Data? {
        guard let body = body(.profile), let name = body.firstIndex(of: 0) else { return nil }
        let rest = body[(name + 1)...]
        // The name has 1 to 79 bytes; the only method is 0.
        guard 1...79 ~= name - body.startIndex, rest.first == 0 else { return nil }
        return PNGDeflate.inflated(rest.dropFirst(), limit: limit)
    }
}

/// What chunks hold in the compressed form of zlib.
enum PNGDeflate {
    /// `nil` for damaged bytes, and for more than the limit.
    static func inflated(_ bytes: Data, limit: Int) -> Data? {
        var count = bytes.count
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe cwebimage_png_inflate(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &count, max(0, min(limit, 1 << 30)))
        }
        return unsafe taken(result, count)
    }

    /// `nil` when there is no memory.
    static func deflated(_ bytes: Data) -> Data? {
        var count = bytes.count
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe cwebimage_png_deflate(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
        }
        return unsafe taken(result, count)
    }

    private static func taken(_ memory: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Data? {
        guard let memory = unsafe memory else { return nil }
        defer { unsafe cwebimage_png_free(memory) }
        return unsafe Data(bytes: memory, count: count)
    }
}
