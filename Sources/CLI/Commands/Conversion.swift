import WebImage
import WebImageFoundation

/// One picture on its way into another format.
struct Conversion: Sendable {
    /// What is written.
    enum Target: Sendable {
        case format(ImageFormat)
        /// Bare pixels.
        case pixels

        /// By the name of a format or the ending of a file; `nil` where nothing can be written under it.
        init?(name: String) {
            if name.lowercased() == "rgba" {
                self = .pixels
            } else if let format = ImageFormat(fileExtension: name), CodersManager.shared.canEncode(to: format) {
                self = .format(format)
            } else {
                return nil
            }
        }
    }

    private let input: String
    private let output: String
    private let target: Target
    /// The one to take; `nil` for all where an animation can be written.
    private let frame: Int?
    private let quality: Double?
    private let thumbnail: ImageSize?
    private let resampling: Resampling
    private let changes: PipelineTransformer?
    private let colorConversion: DecodeOptions.ColorConversion
    private let options: LoadOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let operands = arguments.operands
        guard operands.count == 2 else {
            throw UsageError("give two names, IN and OUT; there are \(operands.count)")
        }
        (input, output) = (operands[0], operands[1])
        if let chosen = try arguments.value(of: .target) {
            target = chosen
        } else {
            target = try Self.target(of: operands[1])
        }
        frame = try arguments.value(of: .frame)
        quality = try arguments.value(of: .quality)
        thumbnail = try arguments.value(of: .thumbnail)
        resampling = try arguments.resampling()
        changes = try arguments.changes()
        colorConversion = try arguments.value(of: .color) ?? .sRGB
        options = arguments.has(.insecure) ? .allowInvalidSSLCertificates : []
    }

    private static func target(of output: String) throws(UsageError) -> Target {
        guard output != "-" else { throw UsageError("standard output has no ending; say --format") }
        let name = output.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        if let target = Target(name: String(ending)) { return target }
        throw UsageError(
            "'\(output)' does not end in png, jpg, webp, gif, avif, heic, bmp or rgba; change that, or say --format")
    }

    /// The file that an error is about.
    func failing(_ error: ImageError) -> String {
        error.stage == .store ? output : input
    }

    func run(_ console: Console) async throws(ImageError) {
        let data = try await PictureBytes.read(input, options: options) {
            // The cache is not what was asked for.
            console.report(Failure($0, of: input))
        }
        let result = try await abandoningWhenCancelled { () throws(ImageError) in
            if let file = try animation(of: data) { return file }
            return try picture(of: data)
        }
        guard output != "-" else { return console.write(result) }
        do throws(SystemFault) {
            try FileSystem.write(result, to: output)
        } catch {
            throw ImageError(
                .storeFailed, .store, "cannot be written: \(error.reason); check the folder, or choose another one")
        }
    }

    /// Straight alpha: a file holds it so, and nothing is lost on the way.
    private var decodeOptions: DecodeOptions {
        var options = DecodeOptions(thumbnailPixelSize: thumbnail, frameIndex: frame ?? 0)
        options.alpha = .straight
        options.colorConversion = colorConversion
        options.resampling = resampling
        return options
    }

    /// All frames, one after the other, each composed before it is made smaller; `nil` where one picture is wanted, or
    /// there is but one.
    private func animation(of data: Data) throws(ImageError) -> Data? {
        guard frame == nil, case .format(let format) = target, CodersManager.shared.canEncodeAnimation(to: format)
        else {
            return nil
        }
        var frames = try CodersManager.shared.frames(of: data, options: decodeOptions)
        guard frames.frameCount > 1 else { return nil }
        if let changes { frames = TransformedFrames(frames, by: changes) }
        return try CodersManager.shared.encode(frames, to: format, options: encodeOptions)
    }

    private func picture(of data: Data) throws(ImageError) -> Data {
        var image = try CodersManager.shared.decode(data, options: decodeOptions)
        if let changes { image = try changes.apply(to: image) }
        switch target {
        case .pixels: return Self.bareRows(image.pixels)
        case .format(let format): return try CodersManager.shared.encode(image, to: format, options: encodeOptions)
        }
    }

    private var encodeOptions: EncodeOptions {
        var options = EncodeOptions()
        if let quality { options.quality = quality }
        return options
    }

    private static func bareRows(_ pixels: PixelBuffer) -> Data {
        let straight = pixels.withAlpha(.straight)
        var rows = Data(capacity: straight.width * straight.height * straight.format.bytesPerPixel)
        for y in 0..<straight.height {
            straight.withUnsafeRow(y) { rows.append(contentsOf: $0) }
        }
        return rows
    }
}
