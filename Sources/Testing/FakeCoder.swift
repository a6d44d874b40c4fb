import Synchronization
public import WebImageCore
public import WebImageFoundation
import WebImagePixels

/// A coder that turns the bytes a test scripted into the pictures a test scripted, and counts.
///
/// Thread-safe. Bytes that were not scripted are reported loudly; see `Unscripted`. It writes any format, as the
/// format's name followed by the picture's size, and reads that back.
public final class FakeCoder: ImageCoder {
    private struct State {
        var pictures: [Data: Result<DecodedImage, ImageError>] = [:]
        var decodes: [DecodeOptions] = []
        var encodes: [ImageFormat] = []
        var gate: Gate?
    }

    private let unscripted: Unscripted
    private let state = Mutex(State())

    /// A coder that knows no bytes yet.
    public init(unscripted: Unscripted = .endsTheProcess) {
        self.unscripted = unscripted
    }

    /// What the bytes decode to.
    public func script(_ data: Data, _ result: Result<DecodedImage, ImageError>) {
        state.withLock { $0.pictures[data] = result }
    }

    /// Makes every decode wait, on its thread, until the gate is open.
    public func hold(at gate: Gate) {
        state.withLock { $0.gate = gate }
    }

    /// The options of every decode that began, in order.
    public var decodes: [DecodeOptions] { state.withLock { $0.decodes } }

    /// The format of every encode, in order.
    public var encodes: [ImageFormat] { state.withLock { $0.encodes } }

    /// Whether the bytes were scripted.
    public func canDecode(_ data: Data) -> Bool {
        state.withLock { $0.pictures[data] != nil }
    }

    /// The size and format of the scripted picture.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        let image = try picture(data)
        return ImageProbe(format: image.attributes.format ?? .png, size: image.pixelSize)
    }

    /// The scripted picture; an empty one of the thumbnail's size where a smaller one is asked for.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let gate = state.withLock { state in
            state.decodes.append(options)
            return state.gate
        }
        gate?.waitBlocking()
        let image = try picture(data)
        let target = options.targetSize(for: image.pixelSize)
        guard target != image.pixelSize, let pixels = PixelBuffer(size: target) else { return image }
        var attributes = image.attributes
        attributes.isThumbnail = true
        return DecodedImage(pixels: pixels, attributes: attributes)
    }

    /// Every format.
    public func canEncode(to format: ImageFormat) -> Bool { true }

    /// The format's name and the picture's size as text, which `decode` knows from then on.
    public func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        let data = Data("\(format) \(image.pixelSize)".utf8)
        state.withLock { state in
            state.encodes.append(format)
            if state.pictures[data] == nil { state.pictures[data] = .success(image) }
        }
        return data
    }

    private func picture(_ data: Data) throws(ImageError) -> DecodedImage {
        guard let result = state.withLock({ $0.pictures[data] }) else {
            unscripted.report("FakeCoder was given \(data.count) bytes that the test did not script")
            throw ImageError(.badImageData, .decode, "the bytes are not scripted")
        }
        return try result.get()
    }
}
