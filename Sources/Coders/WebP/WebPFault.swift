import CWebImageWebP
import WebImageCore

/// The errors of reading.
enum WebPFault {
    static func reading(_ status: VP8StatusCode, _ place: String) -> ImageError {
        let message =
            switch status {
            case VP8_STATUS_OUT_OF_MEMORY: "there is no memory to decode it"
            case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: "it is truncated"
            case VP8_STATUS_UNSUPPORTED_FEATURE: "it uses a feature that libwebp does not read"
            default: "its bitstream is wrong"
            }
        return ImageError(.badImageData, .decode, "the webp cannot be read \(place): \(message)")
    }

    static func versionMismatch() -> ImageError {
        ImageError(.badImageData, .decode, "the installed libwebp is of another version than this was built for")
    }

    static func truncated(_ byteCount: Int) -> ImageError {
        ImageError(
            .badImageData, .decode,
            "the webp is truncated: it ends after \(byteCount) bytes, before it says that it does")
    }

    static func damaged(frame: Int) -> ImageError {
        ImageError(.badImageData, .decode, "the webp is damaged in frame \(frame)")
    }
}
