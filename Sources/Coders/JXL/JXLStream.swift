import CWebImageJXL
import WebImageCore

/// A decoder of libjxl and how far it has read.
@safe struct JXLStream: ~Copyable {
    let decoder: OpaquePointer
    private let wantedEvents: Int32
    private var consumedCount = 0
    private var holdsInput = false

    init(_ events: [JxlDecoderStatus]) throws(ImageError) {
        guard let decoder = unsafe JxlDecoderCreate(nil) else {
            throw ImageError(.badImageData, .decode, "there is no memory to decode the jxl")
        }
        unsafe self.decoder = decoder
        wantedEvents = Int32(bitPattern: events.reduce(0) { $0 | $1.rawValue })
        unsafe _ = JxlDecoderSubscribeEvents(decoder, wantedEvents)
    }

    deinit {
        unsafe JxlDecoderDestroy(decoder)
    }

    /// The next event.
    ///
    /// - Parameters:
    ///   - bytes: The file from its start, as far as it is there. Once `isWhole`, the same memory each time.
    ///   - isWhole: Whether these are all of its bytes.
    mutating func next(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> JxlDecoderStatus {
        if holdsInput { return unsafe JxlDecoderProcessInput(decoder) }
        let rest = unsafe bytes.dropFirst(consumedCount)
        let start = unsafe UnsafeRawBufferPointer(rebasing: rest).baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard unsafe JxlDecoderSetInput(decoder, start, rest.count) == JXL_DEC_SUCCESS else { return JXL_DEC_ERROR }
        if isWhole {
            unsafe JxlDecoderCloseInput(decoder)
            holdsInput = true
        }
        let status = unsafe JxlDecoderProcessInput(decoder)
        if !holdsInput { consumedCount = unsafe bytes.count - JxlDecoderReleaseInput(decoder) }
        return status
    }

    /// Starts again at the first byte.
    mutating func rewind() {
        unsafe _ = JxlDecoderReleaseInput(decoder)
        unsafe JxlDecoderRewind(decoder)
        // libjxl 0.7 forgets what it has told already, and what it was to tell with it.
        unsafe _ = JxlDecoderSubscribeEvents(decoder, wantedEvents)
        consumedCount = 0
        holdsInput = false
    }
}
