import CWebImageWebP
import WebImageCore
import WebImagePixels

/// Makes the frames of one file as they show, one after the other; it begins again to go back.
///
/// Holds two canvases, which libwebp keeps.
@safe final class WebPCompositor {
    private let bytes: StableBytes
    private let decoder: OpaquePointer
    private let size: PixelSize
    private let hasAlpha: Bool
    /// The frame that the canvas shows, and the canvas, which is libwebp's.
    private var shown: (index: Int, canvas: UnsafePointer<UInt8>)?

    init(_ bytes: StableBytes, _ file: WebPFile) throws(ImageError) {
        var options = WebPAnimDecoderOptions()
        guard unsafe WebPAnimDecoderOptionsInit(&options) != 0 else { throw WebPFault.versionMismatch() }
        options.color_mode = MODE_RGBA
        var data = unsafe WebPData(bytes: bytes.bytes.webPStart, size: bytes.bytes.count)
        guard let decoder = unsafe WebPAnimDecoderNew(&data, &options) else {
            throw ImageError(.badImageData, .decode, "the webp is damaged: its frames cannot be told apart")
        }
        self.bytes = bytes
        size = file.features.size
        hasAlpha = file.hasAlpha
        unsafe self.decoder = unsafe decoder
    }

    deinit {
        unsafe WebPAnimDecoderDelete(decoder)
    }

    /// The frame as it shows.
    func picture(
        of index: Int, _ decoding: RowDecoding, _ monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try show(index, monitor)
        guard let canvas = unsafe shown?.canvas else { throw WebPFault.damaged(frame: index) }
        let bytesPerRow = size.width * 4
        return try decoding.decode { sink throws(ImageError) in
            for y in 0..<size.height {
                let row = unsafe UnsafeRawBufferPointer(start: canvas + y * bytesPerRow, count: bytesPerRow)
                try unsafe sink.withNextRow { target in
                    unsafe target.copyMemory(from: row)
                    if !hasAlpha { unsafe fillAlpha(target) }
                }
            }
        }
    }

    private func show(_ index: Int, _ monitor: DecodeMonitor) throws(ImageError) {
        var next = unsafe shown.map { unsafe $0.index + 1 } ?? 0
        if next == index + 1 { return }
        if next > index || next == 0 {
            unsafe WebPAnimDecoderReset(decoder)
            next = 0
        }
        // Whatever goes wrong on the way leaves nothing to go on from.
        unsafe shown = nil
        while next <= index {
            try monitor.check()
            var canvas: UnsafeMutablePointer<UInt8>?
            var time: Int32 = 0
            guard unsafe WebPAnimDecoderGetNext(decoder, &canvas, &time) != 0, let canvas = unsafe canvas else {
                throw WebPFault.damaged(frame: next)
            }
            if next == index { unsafe shown = unsafe (index, UnsafePointer(canvas)) }
            next += 1
        }
    }
}
