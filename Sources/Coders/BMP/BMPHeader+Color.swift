import WebImageColor
import WebImageCore
import WebImageFoundation

extension BMPHeader {
    /// What the samples mean. Versions 4 and 5 say it: with chromaticities and gamma, or (5) with a profile.
    func color(in data: Data, limits: DecodeLimits) -> SourceColor {
        let reader = ByteReader(data, .littleEndian)
        guard byteCount >= 108, let space = reader.uint32(start + 56) else { return SourceColor() }
        if space == 0 { return SourceColor(.rgb, calibration(reader) ?? .standard) }
        return SourceColor(.rgb, profile(in: data, limits: limits).map(SourceColor.Encoding.profile) ?? .standard)
    }

    /// The embedded profile, if it is within the limit. A linked one, a file's name, is never followed.
    func profile(in data: Data, limits: DecodeLimits) -> Data? {
        let reader = ByteReader(data, .littleEndian)
        guard byteCount >= 124, reader.has("DEBM", at: start + 56), let offset = reader.uint32(start + 112),
            let count = reader.uint32(start + 116), count > 0, count <= limits.maxMetadataByteCount
        else { return nil }
        return reader.bytes(start + offset, count: count)
    }

    /// `nil` where there is none that makes sense: writers that know none leave zeros.
    private func calibration(_ reader: ByteReader) -> SourceColor.Encoding? {
        // CIE XYZ of red, green and blue as fixed-point numbers of 2.30 bits, then their gammas of 16.16 bits.
        let values = stride(from: start + 60, to: start + 96, by: 4).compactMap { reader.uint32($0) }
        let gammas = stride(from: start + 96, to: start + 108, by: 4).compactMap { reader.uint32($0) }
        guard values.count == 9, gammas.count == 3, gammas.allSatisfy({ $0 > 0 }) else { return nil }
        let colors = [0, 3, 6].map { first in values[first..<first + 3].map(Double.init) }
        let white = (0..<3).map { axis in colors.reduce(0) { $0 + $1[axis] } }
        let points = ([white] + colors).map(Self.chromaticity)
        guard points.allSatisfy({ $0.y > 0.001 }) else { return nil }
        let gamma = Double(gammas.reduce(0, +)) / 3 / 65_536
        return .primaries(
            SourceColor.Primaries(white: points[0], red: points[1], green: points[2], blue: points[3]), gamma: gamma)
    }

    private static func chromaticity(_ color: [Double]) -> SourceColor.Primaries.Point {
        let sum = color[0] + color[1] + color[2]
        return sum > 0 ? SourceColor.Primaries.Point(color[0] / sum, color[1] / sum) : SourceColor.Primaries.Point(0, 0)
    }
}
