import WebImage
import WebImageFoundation

/// What the options of `fetch` ask for.
struct FetchSettings: Sendable {
    /// How results are told.
    enum Report: Sendable {
        /// A line a picture, and a summary.
        case lines
        /// A JSON object a picture.
        case json
        case failuresOnly
    }

    let arguments: [String]
    let thumbnail: ImageSize?
    private let resampling: Resampling
    let changes: PipelineTransformer?
    let format: ImageFormat?
    let outputFolder: String?
    let isDecoding: Bool
    let roundCount: Int
    let options: LoadOptions
    let timeout: Double?
    let report: Report

    init(_ parsed: ParsedArguments) throws(UsageError) {
        arguments = parsed.operands
        thumbnail = try parsed.value(of: .thumbnail)
        resampling = try parsed.resampling()
        changes = try parsed.changes()
        format = try parsed.value(of: .format)
        outputFolder = try parsed.value(of: .outputFolder)
        isDecoding = !parsed.has(.noDecode)
        roundCount = try parsed.value(of: .rounds) ?? 1
        timeout = try parsed.value(of: .timeout)
        report = parsed.has(.json) ? .json : parsed.has(.quiet) ? .failuresOnly : .lines
        // The process ends soon after the last picture: what is not stored by then is lost.
        var options: LoadOptions = .waitStoreCache
        if parsed.has(.retryFailed) { options.insert(.retryFailed) }
        if parsed.has(.insecure) { options.insert(.allowInvalidSSLCertificates) }
        self.options = options
        guard !arguments.isEmpty else { throw UsageError("name at least one URL, picture file or list") }
        guard isDecoding || (thumbnail == nil && changes == nil && format == nil) else {
            throw UsageError("--no-decode cannot go with --thumbnail, --format or what changes a picture")
        }
    }

    /// How many pictures may be under way. Bytes are small; each decoded picture may take many megabytes until all
    /// its stages are done, and more of them at once than keep the processor busy would be no faster.
    var maxConcurrentLoads: Int {
        isDecoding ? min(64, 4 + 4 * ProcessInfo.processInfo.activeProcessorCount) : 256
    }

    /// Whether the result is another picture than the original.
    var isVariant: Bool { thumbnail != nil || changes != nil }

    func request(_ source: PictureSource) -> ImageRequest {
        var context = LoadContext(thumbnailPixelSize: thumbnail, transformer: changes)
        context.decodeOptions.resampling = resampling
        return request(source, context)
    }

    /// For the bytes of the original, whatever is made of it.
    func originalRequest(_ source: PictureSource) -> ImageRequest {
        request(source, LoadContext())
    }

    private func request(_ source: PictureSource, _ context: LoadContext) -> ImageRequest {
        var context = context
        // Sizes on the command line are in pixels, also of a picture called "@2x".
        context.scaleFactor = 1
        return ImageRequest(source.url, options: options, context: context)
    }
}
