import Synchronization
public import WebImageFoundation

/// The coders in use. The last one added is asked first, so that a coder of one's own goes before the built-in ones.
public final class CodersManager: ImageCoder {
    private let registered: Mutex<[any ImageCoder]>

    /// A manager of coders, of which the last is asked first.
    public init(_ coders: [any ImageCoder] = []) {
        registered = Mutex(coders)
    }

    /// In the order in which they were added.
    public var coders: [any ImageCoder] { registered.withLock { $0 } }

    /// Adds a coder that is asked before all present ones.
    public func add(_ coder: any ImageCoder) {
        registered.withLock { $0.append(coder) }
    }

    /// Removes all coders of the given type.
    public func remove(_ type: any ImageCoder.Type) {
        registered.withLock { $0.removeAll { Swift.type(of: $0) == type } }
    }

    /// Whether any coder reads the bytes.
    public func canDecode(_ data: Data) -> Bool {
        decoder(of: data) != nil
    }

    /// Asks the coder that reads the bytes; throws `unknownFormat` when none does.
    public func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        try requiredDecoder(of: data).probe(data)
    }

    /// Asks the coder that reads the bytes; throws `unknownFormat` when none does, `limitExceeded` for too many bytes.
    public func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        try check(byteCount: data.count, options.limits)
        let coder = try requiredDecoder(of: data, hint: options.typeHint)
        guard options.usesLazyDecoding, options.isFullSize else {
            return try coder.decode(data, options: options, monitor: monitor)
        }
        return try deferred(data, by: coder, options)
    }

    /// Whether any coder writes the format.
    public func canEncode(to format: ImageFormat) -> Bool {
        encoder(of: format) != nil
    }

    /// The coder that reads the bytes; the first few of a file are enough.
    public func coder(for data: Data) -> (any ImageCoder)? {
        decoder(of: data)
    }

    private func decoder(of data: Data) -> (any ImageCoder)? {
        coders.last { $0.canDecode(data) }
    }

    func check(byteCount: Int, _ limits: DecodeLimits) throws(ImageError) {
        guard byteCount <= limits.maxByteCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "\(byteCount) bytes are over the limit of \(limits.maxByteCount); raise DecodeLimits.maxByteCount")
        }
    }

    func encoder(of format: ImageFormat) -> (any ImageCoder)? {
        coders.last { $0.canEncode(to: format) }
    }

    func requiredDecoder(of data: Data, hint: ImageFormat? = nil) throws(ImageError) -> any ImageCoder {
        if let coder = decoder(of: data) { return coder }
        // Bytes that show another format are not taken for what a name says.
        if let hint, !data.isEmpty, FormatSniffer.format(of: data) == nil,
            let coder = coders.last(where: { $0.canDecode(hint: hint) })
        {
            return coder
        }
        throw .unknownFormat(data)
    }
}

extension ImageError {
    /// For bytes that no coder takes.
    static func unknownFormat(_ data: Data) -> ImageError {
        guard !data.isEmpty else {
            return ImageError(.badImageData, .decode, "there are no bytes")
        }
        if let format = FormatSniffer.format(of: data) {
            return ImageError(
                .unknownFormat, .decode, "the bytes are \(format), which no registered coder reads; add one")
        }
        let isHTML = String(decoding: data.prefix(512), as: UTF8.self).lowercased().contains("<html")
        return ImageError(
            .unknownFormat, .decode,
            isHTML ? "the bytes are a web page, not a picture" : "the bytes are of no known picture format")
    }
}
