import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One file being written by libpng.
@safe struct PNGWriter: ~Copyable {
    private let encoder: OpaquePointer

    static func data(
        of image: DecodedImage, _ metadata: ImageMetadata, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let rows = try RowEncoding(image, to: .png, maxDimension: Int(Int32.max))
        let channels = rows.channels(beside: metadata.colorProfile)
        var metadata = metadata
        metadata.colorProfile = channels.profile
        let color = PNGColor(hasAlpha: rows.hasAlpha, isGray: channels.isGray)
        return try unsafe data(of: rows.size, color, chunks: metadata.pngChunks, monitor) { y, row in
            unsafe rows.copyStraightRow(y, to: row)
        }
    }

    /// - Parameters:
    ///   - chunks: What stands between header and pixels.
    ///   - copyRow: Writes row `y` as straight R, G, B, A.
    static func data(
        of size: PixelSize, _ color: PNGColor, chunks: [(name: PNGChunkName, body: Data)],
        _ monitor: DecodeMonitor = DecodeMonitor(), copyRow: (_ y: Int, UnsafeMutableRawBufferPointer) -> Void
    ) throws(ImageError) -> Data {
        let writer = try PNGWriter()
        guard
            unsafe cwebimage_png_encoder_start(
                writer.encoder, UInt32(size.width), UInt32(size.height), color.rawValue)
        else { throw writer.failure() }
        for (name, body) in chunks {
            try writer.write(name, body)
        }
        var scratch = [UInt8](repeating: 0, count: size.width * 4)
        for y in 0..<size.height {
            if y & 15 == 0 { try monitor.check() }
            let isWritten = unsafe scratch.withUnsafeMutableBytes { row in
                unsafe copyRow(y, row)
                unsafe color.pack(row)
                return unsafe cwebimage_png_encoder_write_row(
                    writer.encoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            guard isWritten else { throw writer.failure() }
        }
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

    private func write(_ name: PNGChunkName, _ body: Data) throws(ImageError) {
        let isWritten = unsafe body.withUnsafeBytes { bytes in
            unsafe name.text.withCString { name in
                unsafe cwebimage_png_encoder_write_chunk(
                    encoder, name, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            }
        }
        guard isWritten else { throw failure() }
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
