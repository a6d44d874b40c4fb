import CWebImageJXL
import WebImageCore
import WebImageFoundation

/// The boxes of a JPEG XL container that say something beside the picture, unpacked where they are packed.
struct JXLBoxes {
    private(set) var exif: Data?
    private(set) var xmp: Data?

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImageError) {
        var stream = try JXLStream([JXL_DEC_BOX])
        unsafe _ = JxlDecoderSetDecompressBoxes(stream.decoder, 1)
        var box = JXLBox(limit: limits.maxMetadataByteCount)
        while true {
            let status = unsafe stream.next(bytes, isWhole: true)
            if status != JXL_DEC_BOX_NEED_MORE_OUTPUT, let content = unsafe box.end(stream.decoder) { take(content) }
            switch status {
            case JXL_DEC_BOX: unsafe box.begin(stream.decoder, wanted: missing)
            case JXL_DEC_BOX_NEED_MORE_OUTPUT: unsafe box.grow(stream.decoder)
            default: return
            }
        }
    }

    /// The types of boxes that have not been found yet.
    private var missing: [String] { (exif == nil ? ["Exif"] : []) + (xmp == nil ? ["xml "] : []) }

    private mutating func take(_ content: (type: String, bytes: Data)) {
        switch content.type {
        case "Exif": exif = exif ?? ImageMetadata.tiff(inItem: content.bytes)
        default: xmp = xmp ?? content.bytes
        }
    }
}

/// The memory of one box while libjxl writes it.
@safe private struct JXLBox: ~Copyable {
    /// How much may still be unpacked, over all boxes: a few bytes of Brotli may stand for megabytes.
    private var limit: Int
    private var type: String?
    private var memory: UnsafeMutableRawBufferPointer?
    /// The memory before `written` holds contents of the box.
    private var written = 0

    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        unsafe memory?.deallocate()
    }

    mutating func begin(_ decoder: OpaquePointer, wanted: [String]) {
        var name: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
        let text = unsafe withUnsafeMutableBytes(of: &name) { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let status = unsafe JxlDecoderGetBoxType(decoder, start, 1)
            return unsafe status == JXL_DEC_SUCCESS ? String(decoding: bytes, as: UTF8.self) : ""
        }
        guard wanted.contains(text) else { return }
        type = text
        written = 0
        unsafe give(decoder, capacity: min(limit, 1 << 16))
    }

    /// Makes room for more; a box that is over the limit is let go.
    mutating func grow(_ decoder: OpaquePointer) {
        let capacity = unsafe memory?.count ?? 0
        unsafe release(decoder)
        guard type != nil, capacity < limit else {
            limit -= min(limit, capacity)
            type = nil
            return
        }
        unsafe give(decoder, capacity: min(limit, capacity * 2))
    }

    /// The contents, when a box has been written.
    mutating func end(_ decoder: OpaquePointer) -> (type: String, bytes: Data)? {
        guard let type, let memory = unsafe memory else { return nil }
        unsafe release(decoder)
        limit -= min(limit, written)
        self.type = nil
        return unsafe (type, Data(memory.prefix(written)))
    }

    private mutating func give(_ decoder: OpaquePointer, capacity: Int) {
        guard capacity > 0 else {
            type = nil
            return
        }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        if let memory = unsafe memory { unsafe larger.copyMemory(from: .init(rebasing: memory.prefix(written))) }
        unsafe memory?.deallocate()
        unsafe memory = larger
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: larger.dropFirst(written))
        let start = unsafe rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe _ = JxlDecoderSetBoxBuffer(decoder, start, rest.count)
    }

    private mutating func release(_ decoder: OpaquePointer) {
        let unused = unsafe JxlDecoderReleaseBoxBuffer(decoder)
        written = unsafe (memory?.count ?? 0) - unused
    }
}
