import CWebImageWebP
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one file with libwebp.
enum WebPWriter {
    static func data(of image: DecodedImage, quality: Double) throws(ImageError) -> Data {
        let rows = try RowEncoding(image, to: .webP, maxDimension: Int(WEBP_MAX_DIMENSION))
        var config = WebPConfig()
        var picture = unsafe WebPPicture()
        guard unsafe WebPConfigInit(&config) != 0, unsafe WebPPictureInit(&picture) != 0 else {
            throw failure("the installed libwebp is of another version than this was built for")
        }
        defer { unsafe WebPPictureFree(&picture) }
        if quality < 1 {
            config.quality = Float(max(0, quality) * 100)
        } else {
            config.lossless = 1
        }
        unsafe picture.use_argb = config.lossless
        unsafe picture.width = Int32(rows.size.width)
        unsafe picture.height = Int32(rows.size.height)
        try unsafe importPixels(rows, &picture)
        return try unsafe encode(&config, &picture)
    }

    private static func importPixels(_ rows: RowEncoding, _ picture: inout WebPPicture) throws(ImageError) {
        let stride = rows.size.width * 4
        var pixels = [UInt8](repeating: 0, count: stride * rows.size.height)
        let isImported = unsafe pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<rows.size.height {
                let row = unsafe bytes[y * stride..<(y + 1) * stride]
                unsafe rows.copyStraightRow(y, to: UnsafeMutableRawBufferPointer(rebasing: row))
            }
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe rows.hasAlpha
                ? WebPPictureImportRGBA(&picture, start, Int32(stride)) != 0
                : WebPPictureImportRGBX(&picture, start, Int32(stride)) != 0
        }
        guard isImported else { throw failure("there is no memory for it") }
    }

    private static func encode(
        _ config: inout WebPConfig, _ picture: inout WebPPicture
    ) throws(ImageError) -> Data {
        var writer = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&writer)
        defer { unsafe WebPMemoryWriterClear(&writer) }
        let isEncoded = unsafe withUnsafeMutablePointer(to: &writer) { writer in
            unsafe picture.writer = WebPMemoryWrite
            unsafe picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return unsafe WebPEncode(&config, &picture) != 0
        }
        guard isEncoded, let start = unsafe writer.mem else {
            throw unsafe failure("libwebp error \(picture.error_code.rawValue)")
        }
        return unsafe Data(bytes: start, count: writer.size)
    }

    private static func failure(_ message: String) -> ImageError {
        ImageError(.encodingFailed, .store, "the webp could not be written: \(message)")
    }
}
