import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One file being written by libpng.
@safe struct PNGWriter: ~Copyable {
    private let encoder: OpaquePointer

    static func data(of image: DecodedImage) throws(ImageError) -> Data {
        let rows = try RowEncoding(image, to: .png, maxDimension: Int(Int32.max))
        let writer = try PNGWriter()
        try writer.start(rows)
        try writer.write(rows)
        return try writer.finish()
    }

    private init() throws(ImageError) {
        guard let encoder = unsafe cwebimage_png_encoder_open() else {
            throw ImageError(.encodingFailed, .store, "there is no memory for a png encoder")
        }
        unsafe self.encoder = encoder
    }

    deinit {
        unsafe cwebimage_png_encoder_close(encoder)
    }

    private func start(_ rows: RowEncoding) throws(ImageError) {
        guard
            unsafe cwebimage_png_encoder_start(
                encoder, UInt32(rows.size.width), UInt32(rows.size.height), rows.hasAlpha)
        else { throw failure() }
    }

    private func write(_ rows: RowEncoding) throws(ImageError) {
        var scratch = [UInt8](repeating: 0, count: rows.size.width * 4)
        for y in 0..<rows.size.height {
            let isWritten = unsafe scratch.withUnsafeMutableBytes { row in
                unsafe rows.copyStraightRow(y, to: row)
                return unsafe cwebimage_png_encoder_write_row(
                    encoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            guard isWritten else { throw failure() }
        }
    }

    private func finish() throws(ImageError) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard unsafe cwebimage_png_encoder_finish(encoder, &bytes, &count), let start = unsafe bytes else {
            throw failure()
        }
        return unsafe Data(bytes: start, count: count)
    }

    private func failure() -> ImageError {
        let message = unsafe String(cString: cwebimage_png_encoder_message(encoder))
        return ImageError(.encodingFailed, .store, "the png could not be written: \(message)")
    }
}
