import CWebImageWebP
import WebImageCore
import WebImageFoundation

/// Puts blocks beside the pictures of a file.
enum WebPContainer {
    /// - Parameter metadata: Blocks without a byte, which libwebpmux refuses, are left out.
    static func adding(_ metadata: ImageMetadata, to file: Data) throws(ImageError) -> Data {
        let blocks = [("ICCP", metadata.colorProfile), ("EXIF", metadata.exif), ("XMP ", metadata.xmp)]
            .compactMap { name, block in block.flatMap { $0.isEmpty ? nil : (name, $0) } }
        guard !blocks.isEmpty else { return file }
        guard let mux = unsafe with(file, { source in unsafe WebPMuxCreate(&source, 1) }) else {
            throw WebPEncoding.failure("its chunks cannot be read again")
        }
        defer { unsafe WebPMuxDelete(mux) }
        for (name, block) in blocks {
            let result = unsafe with(block) { source in unsafe WebPMuxSetChunk(mux, name, &source, 1) }
            guard result == WEBP_MUX_OK else { throw failure(result) }
        }
        var whole = unsafe WebPData()
        defer { unsafe WebPDataClear(&whole) }
        let result = unsafe WebPMuxAssemble(mux, &whole)
        guard result == WEBP_MUX_OK, let start = unsafe whole.bytes else { throw failure(result) }
        return unsafe Data(bytes: start, count: whole.size)
    }

    private static func with<Result>(_ data: Data, _ body: (inout WebPData) -> Result) -> Result {
        unsafe data.withUnsafeBytes { bytes in
            var source = unsafe WebPData(bytes: bytes.webPStart, size: bytes.count)
            return unsafe body(&source)
        }
    }

    private static func failure(_ code: WebPMuxError) -> ImageError {
        WebPEncoding.failure("libwebpmux error \(code.rawValue)")
    }
}
