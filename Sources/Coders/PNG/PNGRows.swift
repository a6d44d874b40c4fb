import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// The pixels of a PNG as libpng makes them of the bytes it is fed.
@safe
final class PNGRows {
    let hasAlpha: Bool
    private let decoding: RowDecoding
    private let size: PixelSize
    private let isInterlaced: Bool
    private let isTurned: Bool
    private var decoder: OpaquePointer?
    /// Where the rows go that come once.
    private var sink: DecodingSink
    /// Where an interlaced picture gathers.
    private let canvas: UnsafeMutableRawBufferPointer?
    private var pass = 0
    private var rowCount = 0
    private var shown = 0
    private var failure: ImageError?

    init(_ file: PNGFile, _ decoding: RowDecoding) throws(ImageError) {
        self.decoding = decoding
        size = file.header.size
        isInterlaced = file.header.isInterlaced
        isTurned = file.orientation != .up
        hasAlpha = file.probe().hasAlpha
        sink = try decoding.sink()
        unsafe canvas = isInterlaced ? .zeroed(byteCount: size.width * size.height * 4) : nil
        unsafe decoder = cwebimage_png_open_fed(
            cwebimage_png_feeding(
                take_row: takeRow, context: Unmanaged.passUnretained(self).toOpaque(),
                canvas: canvas?.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes_per_row: size.width * 4))
        guard unsafe decoder != nil else {
            throw ImageError(.badImageData, .decode, "there is no memory for a png decoder")
        }
    }

    deinit {
        unsafe cwebimage_png_close(decoder)
        unsafe canvas?.deallocate()
    }

    var targetSize: PixelSize { decoding.targetSize }
    var region: PixelRect { decoding.storedRegion }

    /// Whether the last row of the last pass has come.
    var isComplete: Bool { rowCount == size.height && (!isInterlaced || pass == 6) }

    /// Whether the data behind the last row is as it should be. Asked once, when all chunks of pixels were fed.
    func hasGoodEnd() -> Bool { unsafe decoder.map { unsafe cwebimage_png_has_good_end($0) } ?? false }

    func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard
            unsafe cwebimage_png_feed(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else {
            let message = unsafe decoder.map { unsafe String(cString: cwebimage_png_message($0)) } ?? ""
            throw failure ?? ImageError(.badImageData, .decode, "the png is damaged at row \(rowCount): \(message)")
        }
    }

    /// Runs inside the library; `false` ends the decode.
    fileprivate func take(_ row: UnsafePointer<UInt8>?, y: Int, pass: Int) -> Bool {
        (self.pass, rowCount) = (pass, y + 1)
        guard !isInterlaced, let row = unsafe row else { return true }
        do throws(ImageError) {
            try unsafe sink.withNextRow { target throws(ImageError) in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: row, count: target.count))
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    // MARK: Pictures

    /// Copies the whole picture, so it is made a few times only.
    func preview() throws(ImageError) -> DecodedImage? {
        let step = isInterlaced ? passesToShow.count { $0 < pass } : rowCount * (previewCount + 1) / size.height
        guard step > shown, !isComplete else { return nil }
        shown = step
        let image = try picture(decoding)
        var pixels = image.pixels
        // Where rows have not come yet, an opaque picture is transparent.
        if pixels.alpha == .opaque, !isInterlaced { pixels.alpha = .premultiplied }
        return DecodedImage(pixels: pixels, attributes: image.attributes)
    }

    /// Together they cost less than half of decoding once. Turning costs as much again, and memory of more than
    /// 32 MiB comes fresh from the system each time.
    private var previewCount: Int {
        isTurned ? 1 : (targetSize.pixelCount ?? 0) > 1 << 23 ? 2 : 3
    }

    /// After the first an eighth of the rows and columns is there, after the fourth a quarter and half, after the sixth
    /// half and all.
    private var passesToShow: [Int] {
        switch previewCount {
        case 1: [3]
        case 2: [1, 4]
        default: [0, 3, 5]
        }
    }

    func picture(_ decoding: RowDecoding) throws(ImageError) -> DecodedImage {
        guard let canvas = unsafe canvas else { return decoding.image(of: sink) }
        var pixels = try decoding.emptyPicture(size)
        unsafe pixels.withUnsafeMutableBytes { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(canvas)) }
        return try decoding.decode(pixels)
    }
}

private func takeRow(context: UnsafeMutableRawPointer?, row: UnsafePointer<UInt8>?, y: UInt32, pass: Int32) -> Bool {
    guard let context = unsafe context else { return false }
    let rows = unsafe Unmanaged<PNGRows>.fromOpaque(context).takeUnretainedValue()
    return unsafe rows.take(row, y: Int(y), pass: Int(pass))
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func zeroed(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let memory = allocate(byteCount: byteCount, alignment: 64)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe memory
    }
}
