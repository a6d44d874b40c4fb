import CWebImageGIF
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// Writes one file with giflib.
@safe final class GIFWriter {
    /// What a graphic control extension says.
    struct Control {
        /// In hundredths of a second.
        var delay: Int
        /// Whether the frame's place is cleared when its time is over.
        var isCleared: Bool
    }

    private let output: GIFOutput
    private var file: UnsafeMutablePointer<GifFileType>?

    init(_ size: PixelSize) throws(ImageError) {
        output = GIFOutput()
        var code: Int32 = 0
        let user = unsafe Unmanaged.passUnretained(output).toOpaque()
        unsafe file = EGifOpen(user, { unsafe GIFOutput.write($0, $1, $2) }, &code)
        guard unsafe file != nil else { throw Self.failure(code) }
        unsafe EGifSetGifVersion(file, true)
        try check(unsafe EGifPutScreenDesc(file, Int32(size.width), Int32(size.height), 8, 0, nil))
    }

    deinit {
        close()
    }

    /// How often the animation is repeated; 0 is for ever.
    func writeLoop(count: Int) throws(ImageError) {
        try writeApplication("NETSCAPE2.0", [[1, UInt8(count & 255), UInt8(count >> 8)]])
    }

    /// The blocks that the format can hold.
    func writeApplications(_ metadata: ImageMetadata) throws(ImageError) {
        if let profile = metadata.colorProfile {
            try writeApplication("ICCRGBG1012", Self.pieces(of: [UInt8](profile)))
        }
        guard let xmp = metadata.xmp, !xmp.contains(0) else { return }
        // Written raw, not in blocks: a reader of blocks takes letters for lengths, and the trailer leads it to the
        // end from wherever it comes there.
        output.append([0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + xmp + [1] + (0...255).reversed() + [0])
    }

    func write(
        _ picture: GIFIndexing, at place: (x: Int, y: Int), _ size: PixelSize, _ control: Control?
    ) throws(ImageError) {
        if control != nil || picture.transparentIndex != nil {
            try write(control ?? Control(delay: 0, isCleared: false), picture.transparentIndex)
        }
        let map = unsafe Self.colorMap(picture.palette)
        defer { unsafe GifFreeMapObject(map) }
        try check(
            unsafe EGifPutImageDesc(
                file, Int32(place.x), Int32(place.y), Int32(size.width), Int32(size.height), false, map))
        var indices = picture.indices
        let width = Int32(size.width)
        let isWritten = unsafe indices.withUnsafeMutableBufferPointer { indices in
            (0..<size.height).allSatisfy { y in
                unsafe EGifPutLine(file, indices.baseAddress.map { unsafe $0 + y * size.width }, width) == GIF_OK
            }
        }
        try check(isWritten ? GIF_OK : GIF_ERROR)
    }

    /// The bytes of the file, which is complete with them.
    func finish() throws(ImageError) -> Data {
        guard close() else { throw Self.failure(0) }
        return Data(output.bytes)
    }

    private func write(_ control: Control, _ transparentIndex: Int?) throws(ImageError) {
        let disposal: UInt8 = control.isCleared ? 2 : 1
        let block: [UInt8] = [
            disposal << 2 | (transparentIndex == nil ? 0 : 1), UInt8(control.delay & 255), UInt8(control.delay >> 8),
            UInt8(transparentIndex ?? 0),
        ]
        try check(unsafe EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, block))
    }

    private func writeApplication(_ name: String, _ blocks: [[UInt8]]) throws(ImageError) {
        try check(unsafe EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE))
        for block in [Array(name.utf8)] + blocks {
            try check(unsafe EGifPutExtensionBlock(file, Int32(block.count), block))
        }
        try check(unsafe EGifPutExtensionTrailer(file))
    }

    private static func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 255).map { Array(bytes[$0..<min(bytes.count, $0 + 255)]) }
    }

    /// A palette has a power of two of entries, 2 at least.
    private static func colorMap(_ palette: [UInt32]) -> UnsafeMutablePointer<ColorMapObject>? {
        var count = 2
        while count < palette.count { count *= 2 }
        let padded = palette + [UInt32](repeating: 0, count: count - palette.count)
        let colors = padded.map { color in
            GifColorType(
                Red: UInt8(color & 255), Green: UInt8(color >> 8 & 255), Blue: UInt8(color >> 16 & 255))
        }
        return unsafe GifMakeMapObject(Int32(count), colors)
    }

    @discardableResult private func close() -> Bool {
        guard let open = unsafe file else { return false }
        unsafe file = nil
        var code: Int32 = 0
        return unsafe EGifCloseFile(open, &code) == GIF_OK
    }

    private func check(_ result: Int32) throws(ImageError) {
        guard result == GIF_OK else { throw unsafe Self.failure(file?.pointee.Error ?? 0) }
    }

    private static func failure(_ code: Int32) -> ImageError {
        let text = unsafe GifErrorString(code).map { unsafe String(cString: $0) }
        return ImageError(.encodingFailed, .store, "the gif could not be written: \(text ?? "giflib error \(code)")")
    }
}
