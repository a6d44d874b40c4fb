import CWebImageAVIF
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one still AVIF with libavif.
@safe struct AVIFWriter: ~Copyable {
    private let image: UnsafeMutablePointer<avifImage>
    private let encoder: UnsafeMutablePointer<avifEncoder>

    static func data(of picture: DecodedImage, options: EncodeOptions) throws(ImageError) -> Data {
        // The largest side that libavif reads back by default.
        let rows = try RowEncoding(picture, to: .avif, maxDimension: 32_768)
        let quality = AVIFQuality(options.quality)
        let writer = try AVIFWriter(rows.size, quality)
        try writer.take(rows)
        writer.take(options.metadata)
        return try writer.written(quality)
    }

    private init(_ size: PixelSize, _ quality: AVIFQuality) throws(ImageError) {
        let format = quality.keepsColorWhole ? AVIF_PIXEL_FORMAT_YUV444 : AVIF_PIXEL_FORMAT_YUV420
        guard let encoder = unsafe avifEncoderCreate() else { throw Self.failure("there is no memory") }
        guard let image = unsafe avifImageCreate(UInt32(size.width), UInt32(size.height), 8, format) else {
            unsafe avifEncoderDestroy(encoder)
            throw Self.failure("there is no memory")
        }
        unsafe self.encoder = encoder
        unsafe self.image = image
        unsafe image.pointee.yuvRange = AVIF_RANGE_FULL
        unsafe image.pointee.colorPrimaries = UInt16(AVIF_COLOR_PRIMARIES_BT709)
        unsafe image.pointee.transferCharacteristics = UInt16(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
        // Only RGB as it is comes back as it was.
        let matrix = quality.isLossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601
        unsafe image.pointee.matrixCoefficients = UInt16(matrix)
    }

    deinit {
        unsafe avifImageDestroy(image)
        unsafe avifEncoderDestroy(encoder)
    }

    private func take(_ rows: RowEncoding) throws(ImageError) {
        let rowBytes = rows.size.width * 4
        let pixels = UnsafeMutableRawBufferPointer.allocate(byteCount: rowBytes * rows.size.height, alignment: 64)
        defer { unsafe pixels.deallocate() }
        for y in 0..<rows.size.height {
            unsafe rows.copyStraightRow(y, to: .init(rebasing: pixels[y * rowBytes..<(y + 1) * rowBytes]))
        }
        var source = unsafe avifRGBImage()
        unsafe avifRGBImageSetDefaults(&source, image)
        unsafe source.format = AVIF_RGB_FORMAT_RGBA
        unsafe source.ignoreAlpha = rows.hasAlpha ? 0 : 1
        unsafe source.pixels = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe source.rowBytes = UInt32(rowBytes)
        try Self.check(unsafe avifImageRGBToYUV(image, &source), "while its colour is converted")
    }

    private func take(_ metadata: ImageMetadata) {
        unsafe Self.lend(metadata.colorProfile) { unsafe avifImageSetProfileICC(image, $0, $1) }
        // libavif writes no picture at all beside EXIF that it cannot read.
        let exif = metadata.exifTags == nil ? nil : metadata.exif
        unsafe Self.lend(exif) { unsafe avifImageSetMetadataExif(image, $0, $1) }
        unsafe Self.lend(metadata.xmp) { unsafe avifImageSetMetadataXMP(image, $0, $1) }
        // libavif takes the orientation out of EXIF; the pixels are upright already.
        unsafe image.pointee.transformFlags = AVIF_TRANSFORM_NONE.rawValue
    }

    private func written(_ quality: AVIFQuality) throws(ImageError) -> Data {
        unsafe encoder.pointee.maxThreads = 2
        unsafe encoder.pointee.speed = 6
        unsafe encoder.pointee.minQuantizer = quality.quantizer
        unsafe encoder.pointee.maxQuantizer = quality.quantizer
        unsafe encoder.pointee.minQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS
        unsafe encoder.pointee.maxQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS
        var output = unsafe avifRWData()
        defer { unsafe avifRWDataFree(&output) }
        try Self.check(unsafe avifEncoderWrite(encoder, image, &output), "while it is encoded")
        guard let start = unsafe output.data else { throw Self.failure("the encoder gave no bytes") }
        return unsafe Data(bytes: start, count: output.size)
    }

    private static func lend(_ block: Data?, _ take: (UnsafePointer<UInt8>?, Int) -> Void) {
        guard let block, !block.isEmpty else { return }
        unsafe block.withUnsafeBytes { bytes in
            unsafe take(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }

    private static func check(_ result: avifResult, _ place: String) throws(ImageError) {
        guard result != AVIF_RESULT_OK else { return }
        let name = unsafe avifResultToString(result).map { unsafe String(cString: $0) } ?? "no reason given"
        throw failure("\(place): \(name)")
    }

    private static func failure(_ reason: String) -> ImageError {
        ImageError(.encodingFailed, .store, "the avif cannot be written: \(reason)")
    }
}

/// What a quality of 0…1 means to libavif.
struct AVIFQuality {
    /// 0 is lossless, 63 the worst.
    let quantizer: Int32
    /// Whether colour has a sample for every pixel.
    let keepsColorWhole: Bool

    init(_ quality: Double) {
        let bounded = quality.isFinite ? min(1, max(0, quality)) : 1
        // Anything below 1 may lose, and says so.
        quantizer = bounded == 1 ? 0 : max(1, Int32((63 * (1 - bounded)).rounded()))
        keepsColorWhole = bounded >= 0.9
    }

    var isLossless: Bool { quantizer == 0 }
}
