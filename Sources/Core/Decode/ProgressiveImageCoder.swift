public import WebImageFoundation

/// A coder that can show a picture while its bytes arrive.
public protocol ProgressiveImageCoder: ImageCoder {
    /// A decoder for one file whose bytes come in pieces.
    func incrementalDecoder(options: DecodeOptions) -> any IncrementalDecoder
}

/// Decodes one file as its bytes come.
///
/// The order of calls: `append` any number of times with the new bytes only, `partialImage` whenever a picture is
/// wanted, `finish` once. One call at a time, from any thread. After an error every call throws it again.
///
/// However the bytes are cut, all calls together cost at most half more than decoding the whole file once, and the
/// last picture is the same byte for byte. Few bytes at a time are gathered first: 16 KiB, or where partial pictures
/// are asked for a quarter of what there is.
public protocol IncrementalDecoder: AnyObject, Sendable {
    /// Takes the next bytes.
    ///
    /// - Throws: `badImageData` for damaged bytes, `limitExceeded` as soon as the header is known and no longer
    ///   gathered. Too few bytes are no error.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError)

    /// The picture so far, in its full size; `nil` when there is nothing new since the last call.
    func partialImage() throws(ImageError) -> DecodedImage?

    /// The whole picture, after the last bytes.
    ///
    /// - Throws: `badImageData` when bytes are missing.
    func finish() throws(ImageError) -> DecodedImage
}

extension IncrementalDecoder {
    /// Takes the next bytes.
    ///
    /// - Throws: As of bytes in memory.
    public func append(_ data: Data) throws(ImageError) {
        let result = unsafe data.withUnsafeBytes { bytes in
            Result { () throws(ImageError) in try unsafe append(bytes) }
        }
        try result.get()
    }
}
