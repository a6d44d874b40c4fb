import CWebImageHEIF
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one still HEIC with libheif and the HEVC encoder that it comes with.
@safe struct HEIFWriter: ~Copyable {
    private let context: OpaquePointer
    private let encoder: OpaquePointer

    /// Whether libheif has an HEVC encoder: not all systems ship one.
    static var isAvailable: Bool {
        HEIFContext.isReady && heif_have_encoder_for_format(heif_compression_HEVC) != 0
    }

    static func data(of picture: DecodedImage, options: EncodeOptions) throws(ImageError) -> Data {
        guard isAvailable else { throw failure("libheif has no HEVC encoder here; install x265 for it") }
        // What the highest level of HEVC allows.
        let rows = try RowEncoding(picture, to: .heic, maxDimension: 8192)
        let source = try HEIFSource(rows.size)
        try source.take(rows, options.metadata.colorProfile)
        let writer = try HEIFWriter()
        try writer.setQuality(options.quality)
        return try writer.written(source, hasAlpha: rows.hasAlpha, options.metadata)
    }

    private init() throws(ImageError) {
        guard let context = unsafe heif_context_alloc() else { throw Self.failure("there is no memory") }
        var encoder: OpaquePointer?
        let error = unsafe heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder)
        guard unsafe error.code == heif_error_Ok, let encoder = unsafe encoder else {
            unsafe heif_context_free(context)
            throw unsafe Self.failure(error, "no encoder")
        }
        unsafe self.context = context
        unsafe self.encoder = encoder
    }

    deinit {
        unsafe heif_encoder_release(encoder)
        unsafe heif_context_free(context)
    }

    private func setQuality(_ quality: Double) throws(ImageError) {
        let bounded = quality.isFinite ? min(1, max(0, quality)) : 1
        try unsafe Self.check(heif_encoder_set_lossy_quality(encoder, Int32((bounded * 100).rounded())), "its quality")
        // x265's own choice; libheif's takes three times as long for a tenth less.
        unsafe _ = heif_encoder_set_parameter_string(encoder, "preset", "medium")
    }

    private func written(
        _ source: borrowing HEIFSource, hasAlpha: Bool, _ metadata: ImageMetadata
    ) throws(ImageError) -> Data {
        guard let options = unsafe heif_encoding_options_alloc() else { throw Self.failure("there is no memory") }
        defer { unsafe heif_encoding_options_free(options) }
        unsafe options.pointee.save_alpha_channel = hasAlpha ? 1 : 0
        // The colour is to be known without decoding. Old systems of Apple's are confused by that in grids only.
        unsafe options.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
        var handle: OpaquePointer?
        try unsafe Self.check(
            heif_context_encode_image(context, source.image, encoder, options, &handle), "while it is encoded")
        defer { unsafe heif_image_handle_release(handle) }
        try unsafe Self.lend(metadata.exif) { bytes, count in
            unsafe heif_context_add_exif_metadata(context, handle, bytes, count)
        }
        try unsafe Self.lend(metadata.xmp) { bytes, count in
            unsafe heif_context_add_XMP_metadata(context, handle, bytes, count)
        }
        return try file()
    }

    private func file() throws(ImageError) -> Data {
        var writer = unsafe heif_writer(writer_api_version: 1) { _, bytes, count, target in
            if let bytes = unsafe bytes, let target = unsafe target {
                unsafe target.assumingMemoryBound(to: Data.self).pointee.append(
                    bytes.assumingMemoryBound(to: UInt8.self), count: count)
            }
            // libheif wants a text also where nothing is wrong.
            let text: StaticString = "fine"
            return unsafe heif_error(
                code: heif_error_Ok, subcode: heif_suberror_Unspecified,
                message: UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self))
        }
        var data = Data()
        let error = unsafe withUnsafeMutablePointer(to: &data) { unsafe heif_context_write(context, &writer, $0) }
        try unsafe Self.check(error, "while it is put together")
        return data
    }

    private static func lend(
        _ block: Data?, _ take: (UnsafeRawPointer?, Int32) -> heif_error
    ) throws(ImageError) {
        guard let block, !block.isEmpty else { return }
        let error = unsafe block.withUnsafeBytes { unsafe take($0.baseAddress, Int32(clamping: $0.count)) }
        try unsafe check(error, "with its metadata")
    }

    fileprivate static func check(_ error: heif_error, _ place: String) throws(ImageError) {
        guard unsafe error.code != heif_error_Ok else { return }
        throw unsafe failure(error, place)
    }

    private static func failure(_ error: heif_error, _ place: String) -> ImageError {
        failure("\(place): \(unsafe error.message.map { unsafe String(cString: $0) } ?? "no reason given")")
    }

    fileprivate static func failure(_ reason: String) -> ImageError {
        ImageError(.encodingFailed, .store, "the heic cannot be written: \(reason)")
    }
}

/// The pixels of a picture as libheif holds them, with their colour.
@safe private struct HEIFSource: ~Copyable {
    let image: OpaquePointer

    init(_ size: PixelSize) throws(ImageError) {
        var made: OpaquePointer?
        let error = unsafe heif_image_create(
            Int32(size.width), Int32(size.height), heif_colorspace_RGB, heif_chroma_interleaved_RGBA, &made)
        try unsafe HEIFWriter.check(error, "its size")
        guard let image = unsafe made else { throw HEIFWriter.failure("there is no memory") }
        unsafe self.image = image
    }

    deinit {
        unsafe heif_image_release(image)
    }

    /// - Parameter profile: What the pixels' colour is to be taken as, where it is not sRGB.
    func take(_ rows: RowEncoding, _ profile: Data?) throws(ImageError) {
        try take(rows)
        try setColor()
        guard let profile, !profile.isEmpty else { return }
        let error = unsafe profile.withUnsafeBytes { bytes in
            unsafe heif_image_set_raw_color_profile(image, "prof", bytes.baseAddress, bytes.count)
        }
        try unsafe HEIFWriter.check(error, "its colour profile")
    }

    private func take(_ rows: RowEncoding) throws(ImageError) {
        let (width, height) = (Int32(rows.size.width), Int32(rows.size.height))
        try unsafe HEIFWriter.check(
            heif_image_add_plane(image, heif_channel_interleaved, width, height, 8), "its pixels")
        var rowBytes = Int32(0)
        guard let plane = unsafe heif_image_get_plane(image, heif_channel_interleaved, &rowBytes) else {
            throw HEIFWriter.failure("there is no memory")
        }
        for y in 0..<rows.size.height {
            let row = unsafe UnsafeMutableRawBufferPointer(
                start: plane + y * Int(rowBytes), count: rows.size.width * 4)
            unsafe rows.copyStraightRow(y, to: row)
        }
    }

    /// sRGB, stored in full range (ITU-T H.273).
    private func setColor() throws(ImageError) {
        guard let color = unsafe heif_nclx_color_profile_alloc() else {
            throw HEIFWriter.failure("there is no memory")
        }
        defer { unsafe heif_nclx_color_profile_free(color) }
        unsafe color.pointee.color_primaries = heif_color_primaries_ITU_R_BT_709_5
        unsafe color.pointee.transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1
        unsafe color.pointee.matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6
        unsafe color.pointee.full_range_flag = 1
        try unsafe HEIFWriter.check(heif_image_set_nclx_color_profile(image, color), "its colour")
    }
}
