import CWebImageHEIF
import WebImageCore
import WebImagePixels

/// One file in libheif. The bytes must outlive it.
@safe final class HEIFContext {
    let pointer: OpaquePointer

    /// libheif loads its codecs once a process.
    static let isReady: Bool = unsafe heif_init(nil).code == heif_error_Ok

    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(ImageError) {
        guard Self.isReady, let context = unsafe heif_context_alloc() else {
            throw ImageError(.badImageData, .decode, "there is no memory to decode the heic")
        }
        unsafe pointer = context
        unsafe heif_context_set_maximum_image_size_limit(context, Int32(clamping: max(1, limits.maxDimension)))
        unsafe heif_context_set_max_decoding_threads(context, 2)
        let error = unsafe heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil)
        guard unsafe error.code == heif_error_Ok else { throw unsafe ImageError(error, "in its header") }
    }

    deinit {
        unsafe heif_context_free(pointer)
    }

    /// The items of pictures that stand by themselves, the primary one first; none where none is named.
    var pictures: [heif_item_id] {
        var primary: heif_item_id = 0
        guard unsafe heif_context_get_primary_image_ID(pointer, &primary).code == heif_error_Ok else { return [] }
        let count = unsafe max(0, heif_context_get_number_of_top_level_images(pointer))
        var items = [heif_item_id](repeating: 0, count: Int(count))
        let taken = unsafe heif_context_get_list_of_top_level_image_IDs(pointer, &items, count)
        return [primary] + items.prefix(Int(taken)).filter { $0 != primary }
    }

    /// Lets no canvas be longer than the picture that the limits were asked about: an item may say one size in its
    /// properties and another in its own bytes, of which libheif makes the canvas.
    func limitSides(to size: PixelSize) {
        // libheif refuses a side that reaches the limit.
        unsafe heif_context_set_maximum_image_size_limit(pointer, Int32(clamping: max(size.width, size.height) + 1))
    }
}

extension ImageError {
    /// What libheif says is wrong, and where in the file.
    init(_ error: heif_error, _ place: String) {
        let reason = unsafe error.message.map { unsafe String(cString: $0) } ?? "no reason given"
        let isLimit = unsafe error.subcode == heif_suberror_Security_limit_exceeded
        self.init(
            isLimit ? .limitExceeded : .badImageData, .decode,
            "the heic cannot be read \(place): \(reason)" + (isLimit ? "; raise DecodeLimits.maxDimension" : ""))
    }
}
