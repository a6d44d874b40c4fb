import WebImageCore
import WebImageFoundation

extension PNGFile {
    /// The keyword of the text chunk that holds XMP, with the NUL that ends it.
    static let xmpKeyword = "XML:com.adobe.xmp\0"

    func metadata(limits: DecodeLimits) -> ImageMetadata {
        let limit = limits.maxMetadataByteCount
        return ImageMetadata(
            colorProfile: profile(limit: limit), exif: body(.exif).map { Data($0) },
            xmp: xmp(limit: limit).map { Data($0) }, limits: limits)
    }

    /// The text behind keyword, compression flag and method, language and translated keyword.
    private func xmp(limit: Int) -> Data? {
        guard let body = body(.text)?.dropFirst(Self.xmpKeyword.utf8.count), let flag = body.first,
            body.dropFirst().first == 0
        else { return nil }
        let strings = body.dropFirst(2)
        guard let language = strings.firstIndex(of: 0), let keyword = strings[(language + 1)...].firstIndex(of: 0)
        else { return nil }
        let text = strings[(keyword + 1)...]
        return flag == 1 ? PNGDeflate.inflated(text, limit: limit) : text
    }
}

extension ImageMetadata {
    /// The chunks that hold the blocks; IPTC has no place in PNG.
    var pngChunks: [(name: PNGChunkName, body: Data)] {
        var chunks: [(PNGChunkName, Data)] = []
        if let profile = colorProfile.flatMap(PNGDeflate.deflated) {
            chunks.append((.profile, Data("ICC profile\0\0".utf8) + profile))
        }
        if let exif, !exif.isEmpty { chunks.append((.exif, exif)) }
        // Keyword, no compression, its method, no language, no translation.
        if let xmp { chunks.append((.text, Data(PNGFile.xmpKeyword.utf8) + Data([0, 0, 0, 0]) + xmp)) }
        return chunks.filter { $0.1.count <= Int(Int32.max) }
    }
}
