import CWebImageJXL
import Synchronization
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// One JPEG XL file whose bytes come in pieces.
final class JXLIncrementalDecoder: IncrementalDecoder {
    private let state: Mutex<State>

    init(options: DecodeOptions) {
        state = Mutex(State(options))
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        let lent = unsafe LentBytes(bytes: bytes)
        try state.withLock { state throws(ImageError) in try unsafe state.append(lent.bytes) }
    }

    func partialImage() throws(ImageError) -> DecodedImage? {
        try state.withLock { state throws(ImageError) in try state.partialImage() }
    }

    func finish() throws(ImageError) -> DecodedImage {
        try state.withLock { state throws(ImageError) in try state.finish() }
    }
}

/// `@unchecked Sendable`: read by one thread, inside the call that lends the bytes.
@safe private struct LentBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
}
