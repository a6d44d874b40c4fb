import CWebImageJPEG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One file being written by libjpeg.
@safe struct JPEGWriter: ~Copyable {
    private let encoder: OpaquePointer

    static func data(
        of image: DecodedImage, options: EncodeOptions, _ monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let rows = try RowEncoding(image, to: .jpeg, maxDimension: 65_500)
        let writer = try JPEGWriter()
        let channels = rows.channels(beside: options.metadata.colorProfile, over: options.backgroundColor)
        try writer.start(rows.size, quality: options.quality, channels)
        try writer.write(options.metadata)
        try writer.write(profile: channels.profile)
        try writer.write(rows, over: options.backgroundColor, monitor)
        return try writer.finish()
    }

    private init() throws(ImageError) {
        guard let encoder = unsafe cwebimage_jpeg_encoder_open() else {
            throw ImageError(.encodingFailed, .store, "there is no memory for a jpeg encoder")
        }
        unsafe self.encoder = encoder
    }

    deinit {
        unsafe cwebimage_jpeg_encoder_close(encoder)
    }

    private func start(
        _ size: PixelSize, quality: Double, _ channels: RowEncoding.Channels
    ) throws(ImageError) {
        let encoding = cwebimage_jpeg_encoding(
            width: Int32(size.width), height: Int32(size.height), quality: Self.percent(quality),
            chroma_step: quality < 0.9 ? 2 : 1, is_gray: channels.isGray)
        guard unsafe cwebimage_jpeg_encoder_start(encoder, encoding) else { throw failure() }
    }

    /// What does not fit a segment is left out: the format has no place for it.
    private func write(_ metadata: ImageMetadata) throws(ImageError) {
        if let exif = metadata.exif { try write(1, JPEGSegment.exif, exif) }
        if let xmp = metadata.xmp { try write(1, JPEGSegment.xmp, xmp) }
        if let iptc = metadata.iptc { try write(13, JPEGSegment.photoshop, PhotoshopResources.blocks(iptc: iptc)) }
    }

    private func write(profile: Data?) throws(ImageError) {
        guard let profile, 1...Self.maxProfileByteCount ~= profile.count else { return }
        let isWritten = unsafe profile.withUnsafeBytes { bytes in
            unsafe cwebimage_jpeg_encoder_write_profile(
                encoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard isWritten else { throw failure() }
    }

    /// 255 segments, each of which says which it is.
    private static let maxProfileByteCount = 255 * 65_519

    private func write(_ code: Int32, _ prefix: String, _ block: Data) throws(ImageError) {
        let segment = Data(prefix.utf8) + block
        guard !block.isEmpty, segment.count <= JPEGSegment.maxByteCount else { return }
        let isWritten = unsafe segment.withUnsafeBytes { bytes in
            unsafe cwebimage_jpeg_encoder_write_marker(
                encoder, 0xE0 + code, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard isWritten else { throw failure() }
    }

    private func write(
        _ rows: RowEncoding, over color: PixelColor, _ monitor: DecodeMonitor
    ) throws(ImageError) {
        var scratch = [UInt8](repeating: 0, count: rows.size.width * 4)
        for y in 0..<rows.size.height {
            if y & 15 == 0 { try monitor.check() }
            let isWritten = unsafe scratch.withUnsafeMutableBytes { row in
                unsafe rows.copyRow(y, over: color, to: row)
                return unsafe cwebimage_jpeg_encoder_write_row(
                    encoder, row.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
            guard isWritten else { throw failure() }
        }
    }

    private func finish() throws(ImageError) -> Data {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard unsafe cwebimage_jpeg_encoder_finish(encoder, &bytes, &count), let start = unsafe bytes else {
            throw failure()
        }
        return unsafe Data(bytes: start, count: count)
    }

    /// 0…1 as libjpeg's 1…100; what is no number counts as the best.
    private static func percent(_ quality: Double) -> Int32 {
        guard quality.isFinite else { return 100 }
        return Int32(1 + (min(1, max(0, quality)) * 99).rounded())
    }

    private func failure() -> ImageError {
        let message = unsafe String(cString: cwebimage_jpeg_encoder_message(encoder))
        return ImageError(.encodingFailed, .store, "the jpeg could not be written: \(message)")
    }
}
