import CWebImagePNG
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// An interlaced picture as libpng makes it of the bytes it is fed: all of it, coarse and ever finer.
@safe
final class PNGPasses: PNGPartialPicture {
    let decoding: RowDecoding
    let hasAlpha: Bool
    private let size: PixelSize
    private let previewCount: Int
    private var decoder: OpaquePointer?
    private let canvas: UnsafeMutableRawBufferPointer
    private var pass = 0
    private var rowCount = 0
    private var shown = 0

    init(_ file: PNGFile, _ decoding: RowDecoding) throws(ImageError) {
        self.decoding = decoding
        size = file.header.size
        hasAlpha = file.probe().hasAlpha
        previewCount = Self.previewCount(of: decoding.targetSize, isTurned: file.orientation != .up)
        unsafe canvas = .zeroed(byteCount: size.width * size.height * 4)
        unsafe decoder = cwebimage_png_open_fed(
            cwebimage_png_feeding(
                take_row: takeRow, context: Unmanaged.passUnretained(self).toOpaque(),
                canvas: canvas.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes_per_row: size.width * 4))
        guard unsafe decoder != nil else {
            throw ImageError(.badImageData, .decode, "there is no memory for a png decoder")
        }
        try unsafe file.head(size: size).withImageBytes(of: .png) { head throws(ImageError) in try unsafe feed(head) }
    }

    deinit {
        unsafe cwebimage_png_close(decoder)
        unsafe canvas.deallocate()
    }

    /// Whether the last row of the last pass has come.
    var isComplete: Bool { rowCount == size.height && pass == 6 }

    func hasGoodEnd() -> Bool { unsafe decoder.map { unsafe cwebimage_png_has_good_end($0) } ?? false }

    func take(_ data: Data, of chunk: PNGChunk, from start: Int) throws(ImageError) {
        let range = start..<chunk.range(in: data.count).upperBound
        try unsafe data.withImageBytes(of: .png) { bytes throws(ImageError) in
            try unsafe feed(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        guard
            unsafe cwebimage_png_feed(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        else {
            let message = unsafe decoder.map { unsafe String(cString: cwebimage_png_message($0)) } ?? ""
            throw ImageError(.badImageData, .decode, "the png is damaged at row \(rowCount): \(message)")
        }
    }

    /// Runs inside the library.
    fileprivate func take(y: Int, pass: Int) {
        (self.pass, rowCount) = (pass, y + 1)
    }

    // MARK: Pictures

    func preview() throws(ImageError) -> DecodedImage? {
        let step = passesToShow.count { $0 < pass }
        guard step > shown, !isComplete else { return nil }
        shown = step
        return try picture(decoding)
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
        var pixels = try decoding.emptyPicture(size)
        unsafe pixels.withUnsafeMutableBytes { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(canvas)) }
        return try decoding.decode(pixels)
    }
}

private func takeRow(context: UnsafeMutableRawPointer?, y: UInt32, pass: Int32) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<PNGPasses>.fromOpaque(context).takeUnretainedValue().take(y: Int(y), pass: Int(pass))
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func zeroed(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let memory = allocate(byteCount: byteCount, alignment: 64)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe memory
    }
}
