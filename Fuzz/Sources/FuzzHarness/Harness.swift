import Foundation
import WebImageCore
import WebImagePixels

/// Gives one input to a coder in every way that a user can. Whatever comes out, nothing may trap, hang or leak.
public func exercise(_ coder: some ImageCoder, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let data = Data(bytes: bytes, count: count)
    guard coder.canDecode(data) else { return -1 }
    var options = DecodeOptions()
    options.limits.maxPixelCount = 1 << 18
    options.limits.maxDimension = 4096
    options.limits.maxFrameCount = 32
    options.limits.maxMetadataByteCount = 1 << 18
    options.limits.maxSeconds = 5
    // The input itself decides which of the options it meets.
    let choice = data.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) }
    if choice & 1 == 1 { options.thumbnailPixelSize = ImageSize(16, 16) }
    if choice & 2 == 2 { options.alpha = .straight }
    if choice & 4 == 4 { options.colorConversion = .none }
    if choice & 8 == 8 { options.thumbnailQuality = .fast }
    if choice & 16 == 16 { options.cropRect = part(choice >> 5) }
    let pageCount = (try? coder.probe(data))?.pageCount ?? 1
    check(try? coder.decode(data, options: options))
    for page in Set([1, pageCount / 2, pageCount - 1]) where page > 0 && page < pageCount {
        var options = options
        options.frameIndex = page
        check(try? coder.decode(data, options: options))
    }
    if let animated = coder as? any AnimatedImageCoder { exerciseFrames(of: data, animated, options) }
    if let progressive = coder as? any ProgressiveImageCoder { exercisePieces(of: data, progressive, options) }
    if let reading = coder as? any MetadataImageCoder {
        let metadata = try? reading.metadata(of: data, limits: options.limits)
        _ = metadata?.filtered(by: .allWithoutLocation)
    }
    _ = try? CodersManager([coder]).probe(prefix: data, isComplete: false, limits: options.limits)
    return 0
}

/// A part of a picture, out of some bits: corners up to 63, sides up to 128.
private func part(_ bits: UInt64) -> PixelRect {
    func number(_ place: UInt64, _ count: UInt64) -> Int { Int((bits >> place) % count) }
    return PixelRect(x: number(0, 64), y: number(6, 64), width: 1 + number(12, 128), height: 1 + number(19, 128))
}

private func exerciseFrames(of data: Data, _ coder: any AnimatedImageCoder, _ options: DecodeOptions) {
    guard let frames = try? coder.frames(of: data, options: options) else { return }
    precondition(frames.frameCount >= 1 && frames.durations.count == frames.frameCount)
    for index in [frames.frameCount - 1, 0, frames.frameCount / 2, frames.frameCount] {
        check(try? frames.frame(at: index))
    }
}

private func exercisePieces(of data: Data, _ coder: any ProgressiveImageCoder, _ options: DecodeOptions) {
    let decoder = coder.incrementalDecoder(options: options)
    let bytes = [UInt8](data)
    let step = max(1, bytes.count / 5)
    for start in stride(from: 0, to: bytes.count, by: step) {
        let piece = bytes[start..<min(bytes.count, start + step)]
        guard (try? piece.withUnsafeBytes({ try decoder.append($0) })) != nil else { break }
        check(try? decoder.partialImage())
    }
    check(try? decoder.finish())
}

private func check(_ image: DecodedImage??) {
    guard let image = image ?? nil else { return }
    precondition(!image.pixelSize.isEmpty && image.pixels.byteCount >= image.pixelSize.width * 4)
    // Reads every byte, so that one that was never written is seen.
    _ = image.pixels.withUnsafeBytes { $0.reduce(0 as UInt8, ^) }
}
