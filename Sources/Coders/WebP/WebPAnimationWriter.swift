import CWebImageWebP
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes the frames of one file with libwebpmux.
@safe final class WebPAnimationWriter {
    private let encoder: OpaquePointer
    private var config: WebPConfig
    private var elapsed = Duration.zero

    /// - Parameter loopCount: How often it is played; 0 is for ever.
    init(_ size: PixelSize, loopCount: Int, _ config: WebPConfig) throws(ImageError) {
        var options = WebPAnimEncoderOptions()
        guard unsafe WebPAnimEncoderOptionsInit(&options) != 0 else { throw WebPEncoding.versionMismatch() }
        options.anim_params.loop_count = Int32(min(max(0, loopCount), 0xFFFF))
        guard let encoder = unsafe WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &options) else {
            throw WebPEncoding.failure("\(size) cannot be the size of an animation")
        }
        unsafe self.encoder = unsafe encoder
        self.config = config
    }

    deinit {
        unsafe WebPAnimEncoderDelete(encoder)
    }

    func add(_ picture: WebPSourcePicture, duration: Duration) throws(ImageError) {
        let time = try milliseconds()
        let isAdded = unsafe picture.withPicture { unsafe WebPAnimEncoderAdd(encoder, &$0, time, &config) != 0 }
        guard isAdded else { throw failure() }
        elapsed += max(.zero, duration)
    }

    func finish() throws(ImageError) -> Data {
        guard try unsafe WebPAnimEncoderAdd(encoder, nil, milliseconds(), nil) != 0 else { throw failure() }
        var file = unsafe WebPData()
        defer { unsafe WebPDataClear(&file) }
        guard unsafe WebPAnimEncoderAssemble(encoder, &file) != 0, let start = unsafe file.bytes else {
            throw failure()
        }
        return unsafe Data(bytes: start, count: file.size)
    }

    /// The time so far, rounded, so that no error adds up.
    private func milliseconds() throws(ImageError) -> Int32 {
        let (seconds, attoseconds) = elapsed.components
        guard seconds < 2_000_000 else { throw WebPEncoding.failure("it would play longer than 23 days") }
        return Int32(seconds) * 1000 + Int32((Double(attoseconds) / 1e15).rounded())
    }

    private func failure() -> ImageError {
        let text = unsafe WebPAnimEncoderGetError(encoder).map { unsafe String(cString: $0) }
        return WebPEncoding.failure(text ?? "libwebpmux gives no reason")
    }
}
