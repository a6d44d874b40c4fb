import Foundation
import WebImageAVIF
import WebImageBMP
import WebImageCore
import WebImageGIF
import WebImageHEIF
import WebImageJPEG
import WebImagePNG
import WebImagePixels
import WebImageWebP

private let coders = CodersManager([.bmp, .heif, .avif, .webP, .gif, .png, .jpeg])

/// Makes a picture or an animation of the input and writes it in a format. A file comes out that can be read again, of
/// the right size; without loss where the format has none. Or an error, never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncoders(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > Recipe.byteCount else { return -1 }
    let recipe = Recipe(Array(UnsafeBufferPointer(start: bytes, count: count)))
    let frames = RecipeFrames(recipe)
    do {
        let data = try coders.encode(frames, to: recipe.format, options: recipe.options)
        require(data.count <= recipe.options.maxByteCount ?? .max, "the file is larger than asked for")
        try check(data, of: recipe, frames)
    } catch {
        require(recipe.mayBeRefused, "\(error)")
    }
    return 0
}

private func check(_ data: Data, of recipe: Recipe, _ frames: RecipeFrames) throws(ImageError) {
    var options = DecodeOptions()
    options.colorConversion = .none
    let image: DecodedImage
    do throws(ImageError) { image = try coders.decode(data, options: options) } catch { fatalError("\(error)") }
    guard !recipe.isMadeSmaller else { return }
    require(image.pixelSize == recipe.size, "the file has another size")
    let expected = try frames.frame(at: 0).pixels
    guard recipe.format == .png, expected.alpha == .premultiplied, expected.isSound else { return }
    let same = expected.withUnsafeBytes { expected in
        image.pixels.withUnsafeBytes { $0.elementsEqual(expected) }
    }
    require(same, "a format without loss gives other pixels")
}

/// Ends the process with words, which `precondition` keeps to itself in a release build.
private func require(_ condition: Bool, _ words: String) {
    if !condition { fatalError(words) }
}

/// What the first bytes of the input say; the others are the pixels, over and over.
private struct Recipe: Sendable {
    static let byteCount = 10
    /// HEVC and AV1 are slow, and come seldom.
    static let formats: [ImageFormat] =
        [.jpeg, .png, .gif, .webP, .bmp, .jpeg, .png, .gif, .webP, .bmp, .jpeg, .png, .gif, .webP, .avif, .heic]

    let format: ImageFormat
    let size: PixelSize
    let layout: PixelBuffer.Layout
    let frameCount: Int
    /// Whether the last frame is larger than the first.
    let hasOtherSize: Bool
    let loopCount: Int
    let durations: [Duration]
    let options: EncodeOptions
    let payload: [UInt8]

    init(_ bytes: [UInt8]) {
        format = Self.formats[Int(bytes[0] & 15)]
        size = PixelSize(1 + Int(bytes[1] & 63), 1 + Int(bytes[2] & 63))
        layout = PixelBuffer.Layout(
            format: bytes[3] & 8 == 8 ? .rgbaHalf : .rgba8,
            alpha: [.premultiplied, .straight, .opaque, .premultiplied][Int(bytes[3] & 3)],
            colorSpace: bytes[3] & 16 == 16 ? .linearSRGB : .sRGB)
        let count = 1 + Int(bytes[4] & 3)
        frameCount = count
        hasOtherSize = count > 1 && bytes[4] & 0xF0 == 0xF0
        loopCount = Int(bytes[5]) * 300
        durations = (0..<count).map { .milliseconds(Int(bytes[6]) * Int(bytes[6]) * $0) }
        payload = Array(bytes[Self.byteCount...])
        options = Self.options(bytes, payload)
    }

    private static func options(_ bytes: [UInt8], _ payload: [UInt8]) -> EncodeOptions {
        var options = EncodeOptions(
            quality: Double(bytes[7]) / 200 - 0.1, backgroundColor: PixelColor(bytes[7], bytes[8], bytes[9]))
        if bytes[8] & 1 == 1 { options.maxPixelSize = ImageSize(Double(bytes[9]) / 7, 20) }
        if bytes[8] & 2 == 2 { options.maxByteCount = Int(bytes[9]) * 20 }
        if bytes[8] & 4 == 4 { options.firstFrameOnly = true }
        if bytes[8] & 8 == 8 { options.loopCount = Int(bytes[9]) * 400 }
        if bytes[8] & 16 == 16 { options.metadata.exif = Data(payload) }
        if bytes[8] & 32 == 32 { options.metadata.xmp = Data(payload) }
        if bytes[8] & 64 == 64 { options.metadata.iptc = Data(payload) }
        if bytes[8] & 128 == 128 { options.metadata.colorProfile = Data(payload) }
        return options
    }

    /// Whether an error is right: for pixels that no file holds, frames that are not of one size or that the format
    /// cannot hold, and a bound that even one pixel may be over.
    var mayBeRefused: Bool {
        let isAnimated = frameCount > 1 && !options.firstFrameOnly
        return layout.format != .rgba8 || layout.colorSpace != .sRGB || hasOtherSize || options.maxByteCount != nil
            || isAnimated && !coders.canEncodeAnimation(to: format)
    }

    /// Whether the options ask for another size than that of the picture.
    var isMadeSmaller: Bool { options.maxPixelSize != nil || options.maxByteCount != nil }
}

private struct RecipeFrames: FrameSource {
    let recipe: Recipe

    init(_ recipe: Recipe) { self.recipe = recipe }

    var frameCount: Int { recipe.frameCount }
    var loopCount: Int { recipe.loopCount }
    var durations: [Duration] { recipe.durations }

    func frame(at index: Int) throws(ImageError) -> DecodedImage {
        let isOther = recipe.hasOtherSize && index == frameCount - 1
        let size = PixelSize(recipe.size.width + (isOther ? 1 : 0), recipe.size.height)
        guard var pixels = PixelBuffer(size: size, layout: recipe.layout) else {
            throw ImageError(.badImageData, .decode, "no pixels")
        }
        pixels.withUnsafeMutableBytes { bytes in
            for place in bytes.indices { bytes[place] = recipe.payload[(place + index * 5) % recipe.payload.count] }
        }
        return DecodedImage(pixels: pixels)
    }
}

extension PixelBuffer {
    /// Whether no colour is above its alpha, so that it can be told from its straight form.
    fileprivate var isSound: Bool {
        guard format == .rgba8 else { return false }
        return withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).allSatisfy { place in
                bytes[place..<place + 3].allSatisfy { $0 <= bytes[place + 3] }
            }
        }
    }
}
