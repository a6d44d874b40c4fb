import CWebImageHEIF
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One picture of a HEIF file in libheif. The bytes must outlive it.
@safe struct HEIFReader: ~Copyable {
    private let context: HEIFContext
    private let handle: OpaquePointer
    /// The number of the picture among the items of the file.
    let item: Int
    private let pageCount: Int

    /// - Parameter page: 0 is the primary picture.
    /// - Throws: `badImageData` for a page that the file does not have.
    init(_ bytes: UnsafeRawBufferPointer, page: Int, limits: DecodeLimits) throws(ImageError) {
        let context = try unsafe HEIFContext(bytes, limits)
        let pictures = context.pictures
        var handle: OpaquePointer?
        let error: heif_error
        if page == 0 {
            unsafe error = unsafe heif_context_get_primary_image_handle(context.pointer, &handle)
        } else {
            guard pictures.indices.contains(page) else {
                throw ImageError(
                    .badImageData, .decode,
                    "this heic has \(pictures.count) picture(s) and none at index \(page); they count from 0")
            }
            unsafe error = unsafe heif_context_get_image_handle(context.pointer, pictures[page], &handle)
        }
        guard let handle = unsafe handle else { throw unsafe ImageError(error, "where it names its picture") }
        unsafe self.handle = handle
        self.context = context
        item = page < pictures.count ? Int(pictures[page]) : 0
        pageCount = max(1, pictures.count)
    }

    deinit {
        unsafe heif_image_handle_release(handle)
    }

    // MARK: Header

    /// libheif turns and cuts the picture itself: its size is that of the upright one.
    var probe: ImageProbe {
        var probe = unsafe ImageProbe(
            format: .heic,
            size: PixelSize(
                Int(heif_image_handle_get_width(handle)), Int(heif_image_handle_get_height(handle))),
            hasAlpha: heif_image_handle_has_alpha_channel(handle) != 0,
            profileName: profile.flatMap { ICCProfileName.name(of: $0) })
        probe.pageCount = pageCount
        return probe
    }

    /// What the samples mean: the profile, or the code points where there is none.
    var color: SourceColor {
        if let profile { return SourceColor(.rgb, .profile(profile)) }
        var points: UnsafeMutablePointer<heif_color_profile_nclx>?
        guard unsafe heif_image_handle_get_nclx_color_profile(handle, &points).code == heif_error_Ok,
            let points = unsafe points
        else { return SourceColor() }
        defer { unsafe heif_nclx_color_profile_free(points) }
        return unsafe SourceColor(
            .rgb,
            .codePoints(
                primaries: Int(points.pointee.color_primaries.rawValue),
                transfer: Int(points.pointee.transfer_characteristics.rawValue)))
    }

    private var profile: Data? {
        let count = unsafe heif_image_handle_get_raw_color_profile_size(handle)
        guard count > 0, count <= 1 << 24 else { return nil }
        var profile = Data(count: count)
        let error = unsafe profile.withUnsafeMutableBytes { bytes in
            unsafe heif_image_handle_get_raw_color_profile(handle, bytes.baseAddress)
        }
        return unsafe error.code == heif_error_Ok ? profile : nil
    }

    func metadata(limits: DecodeLimits) -> ImageMetadata {
        ImageMetadata(
            colorProfile: profile, exif: block("Exif", limits).flatMap { ImageMetadata.tiff(inItem: $0) },
            xmp: block("mime", content: "application/rdf+xml", limits), limits: limits)
    }

    /// The first metadata item of a type and content type.
    private func block(_ type: String, content: String? = nil, _ limits: DecodeLimits) -> Data? {
        let count = unsafe heif_image_handle_get_number_of_metadata_blocks(handle, type)
        guard count > 0 else { return nil }
        var items = [heif_item_id](repeating: 0, count: Int(count))
        unsafe _ = heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &items, count)
        for item in items {
            let stated = unsafe heif_image_handle_get_metadata_content_type(handle, item)
            let statedText = unsafe stated.map { unsafe String(cString: $0) }
            guard content == nil || content == statedText else { continue }
            let size = unsafe heif_image_handle_get_metadata_size(handle, item)
            guard size > 0, size <= limits.maxMetadataByteCount else { return nil }
            var block = Data(count: size)
            let error = unsafe block.withUnsafeMutableBytes { bytes in
                unsafe heif_image_handle_get_metadata(handle, item, bytes.baseAddress)
            }
            return unsafe error.code == heif_error_Ok ? block : nil
        }
        return nil
    }

    // MARK: Pixels

    func picture(options: DecodeOptions, monitor: DecodeMonitor) throws(ImageError) -> DecodedImage {
        let decoding = try RowDecoding(probe, color: color, options: options, monitor: monitor)
        try monitor.check()
        context.limitSides(to: decoding.storedSize)
        let image = try unsafe decodedSamples()
        defer { unsafe heif_image_release(image) }
        let size = unsafe PixelSize(
            Int(heif_image_get_width(image, heif_channel_interleaved)),
            Int(heif_image_get_height(image, heif_channel_interleaved)))
        var stride: Int32 = 0
        let plane = unsafe heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride)
        guard let plane = unsafe plane, size == decoding.storedSize, Int(stride) >= size.width * 4 else {
            throw ImageError(
                .badImageData, .decode,
                "the heic is damaged: its header says \(decoding.storedSize) and its pixels \(size)")
        }
        let isPremultiplied = unsafe heif_image_is_premultiplied_alpha(image) != 0
        return try decoding.decode { sink throws(ImageError) in
            for y in 0..<size.height {
                try unsafe sink.withNextRow { row in
                    unsafe row.copyMemory(from: .init(start: plane + y * Int(stride), count: row.count))
                    if isPremultiplied { unsafe unpremultiply(row) }
                }
            }
        }
    }

    /// The picture as libheif gives it, to be released.
    private func decodedSamples() throws(ImageError) -> OpaquePointer {
        guard let options = unsafe heif_decoding_options_alloc() else {
            throw ImageError(.badImageData, .decode, "there is no memory to decode the heic")
        }
        defer { unsafe heif_decoding_options_free(options) }
        unsafe options.pointee.convert_hdr_to_8bit = 1
        var image: OpaquePointer?
        let error = unsafe heif_decode_image(
            handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options)
        guard let image = unsafe image else { throw unsafe ImageError(error, "in its pixels") }
        return unsafe image
    }
}
