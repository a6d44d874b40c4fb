import Foundation
import Testing
import WebImageCore
import WebImagePixels

/// What an incremental decoder gave for a file whose bytes came in pieces of one size.
struct IncrementalRun {
    var partials: [DecodedImage] = []
    /// How many calls of `partialImage` gave a picture after the last bytes.
    var latePartialCount = 0
    let final: DecodedImage

    /// Asks for a partial picture after each piece.
    init(
        _ coder: any ProgressiveImageCoder, _ data: Data, pieces size: Int, _ options: DecodeOptions = DecodeOptions()
    ) throws {
        let decoder = coder.incrementalDecoder(options: options)
        for start in stride(from: 0, to: data.count, by: size) {
            try decoder.append(data.dropFirst(start).prefix(size))
            if let partial = try decoder.partialImage() { partials.append(partial) }
        }
        final = try decoder.finish()
        if try decoder.partialImage() != nil { latePartialCount += 1 }
    }
}

extension IncrementalDecoder {
    func append(_ data: Data) throws {
        try data.withUnsafeBytes { try append($0) }
    }
}

extension PixelBuffer {
    var allBytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// The same bytes whole, in halves and one at a time give the picture that `decode` gives, in the same memory form.
func expectSameHoweverCut(
    _ coder: any ProgressiveImageCoder, _ data: Data, _ options: DecodeOptions = DecodeOptions(),
    _ comment: Comment? = nil
) throws {
    let whole = try coder.decode(data, options: options)
    for size in [data.count, (data.count + 1) / 2, 100, 1] {
        let run = try IncrementalRun(coder, data, pieces: size, options)
        #expect(run.final.pixels.allBytes == whole.pixels.allBytes, comment)
        #expect(run.final.pixels.layout == whole.pixels.layout, comment)
        #expect(run.final.attributes == whole.attributes, comment)
        #expect(run.partials.allSatisfy { $0.pixelSize == whole.pixelSize }, comment)
        #expect(run.latePartialCount == 0, comment)
    }
}

/// Wherever the file ends, the incremental decoder says what `decode` says: the same picture, or an error of the same
/// code.
func expectSameOfEveryPrefix(_ coder: any ProgressiveImageCoder, _ data: Data, _ options: DecodeOptions) {
    for count in 0...data.count {
        let prefix = data.prefix(count)
        var picture: [UInt8]?
        let error = failure { picture = try coder.decode(prefix, options: options).pixels.allBytes }
        var incremental: [UInt8]?
        let incrementalError = failure {
            let decoder = coder.incrementalDecoder(options: options)
            try decoder.append(prefix)
            _ = try decoder.partialImage()
            incremental = try decoder.finish().pixels.allBytes
        }
        #expect(picture == incremental, "\(count) bytes")
        #expect(error?.code == incrementalError?.code, "\(count) bytes")
    }
}
