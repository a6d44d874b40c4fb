import CWebImageWebP
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// A picture as libwebp takes it to encode.
@safe final class WebPSourcePicture {
    /// What libwebp keeps of it.
    enum Samples {
        /// As they are.
        case colors
        /// Brightness and halved colour, which is all that a lossy file has.
        case luma

        /// What is best for a still picture.
        static func of(_ config: WebPConfig) -> Samples { config.lossless != 0 ? .colors : .luma }
    }

    private var picture = unsafe WebPPicture()

    init(_ image: DecodedImage, _ samples: Samples) throws(ImageError) {
        let rows = try RowEncoding(image, to: .webP, maxDimension: Int(WEBP_MAX_DIMENSION))
        guard unsafe WebPPictureInit(&picture) != 0 else { throw WebPEncoding.versionMismatch() }
        unsafe picture.use_argb = samples == .colors ? 1 : 0
        unsafe picture.width = Int32(rows.size.width)
        unsafe picture.height = Int32(rows.size.height)
        try take(rows)
    }

    deinit {
        unsafe WebPPictureFree(&picture)
    }

    /// Lends the picture to libwebp.
    func withPicture<Result>(_ body: (inout WebPPicture) -> Result) -> Result {
        unsafe body(&picture)
    }

    /// The file of it. libwebp asks some hundred times in between whether to go on.
    func encoded(_ config: WebPConfig, _ monitor: DecodeMonitor) throws(ImageError) -> Data {
        try monitor.check()
        var config = config
        let watch = WebPWatch(monitor)
        var writer = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&writer)
        defer { unsafe WebPMemoryWriterClear(&writer) }
        let isEncoded = unsafe withUnsafeMutablePointer(to: &writer) { writer in
            unsafe picture.writer = WebPMemoryWrite
            unsafe picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return withExtendedLifetime(watch) {
                unsafe picture.user_data = Unmanaged.passUnretained(watch).toOpaque()
                unsafe picture.progress_hook = WebPWatch.hook
                return unsafe WebPEncode(&config, &picture) != 0
            }
        }
        if let error = watch.error { throw error }
        guard isEncoded, let start = unsafe writer.mem else {
            throw unsafe WebPEncoding.failure("libwebp error \(picture.error_code.rawValue)")
        }
        return unsafe Data(bytes: start, count: writer.size)
    }

    private func take(_ rows: RowEncoding) throws(ImageError) {
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
        guard isImported else { throw WebPEncoding.failure("there is no memory for it") }
    }
}
