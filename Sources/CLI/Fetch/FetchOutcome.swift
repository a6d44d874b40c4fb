import WebImage

/// What became of one picture.
struct FetchOutcome: Sendable {
    let source: PictureSource
    /// Where it came from; `nil` where there is no picture.
    var origin: LoadSource?
    /// Of the file that it was decoded from; `nil` where that is not known.
    var byteCount: Int?
    /// Of the result, upright; `nil` for one that was not decoded.
    var size: PixelSize?
    var duration: Duration = .zero
    /// The name of the file that was written.
    var output: String?
    /// What went wrong; a picture that could not be stored has an origin as well.
    var failures: [Failure] = []
    var isCancelled = false

    init(_ source: PictureSource) {
        self.source = source
    }

    mutating func fail(_ error: ImageError) {
        isCancelled = isCancelled || error.isCancelled
        if !error.isCancelled { failures.append(Failure(error, of: source.text)) }
    }

    /// For a person.
    var line: String {
        let origin = self.origin?.rawValue ?? ""
        let size = self.size.map(\.description) ?? ""
        let bytes = byteCount.map(Quantity.bytes) ?? ""
        let columns = [
            origin.padded(to: -7), size.padded(to: 11), bytes.padded(to: 9), Quantity.time(duration).padded(to: 7),
        ]
        return columns.joined(separator: "  ") + "  " + PictureSource.displayName(source.text) + target
    }

    /// Where it was written to, unless that is called as the URL ends.
    private var target: String {
        guard let output, !source.text.hasSuffix("/" + output), source.text != output else { return "" }
        return " → " + output.printable
    }

    /// For a machine.
    var json: JSONValue {
        let errors = failures.map(\.text).joined(separator: "; ")
        return .object([
            .init("url", .string(source.text)),
            .init("from", JSONValue(origin?.rawValue)),
            .init("bytes", JSONValue(byteCount)),
            .init("width", JSONValue(size?.width)),
            .init("height", JSONValue(size?.height)),
            .init("milliseconds", .number(duration.milliseconds)),
            .init("error", JSONValue(errors.isEmpty ? nil : errors)),
        ])
    }
}

extension String {
    /// With spaces in front up to a width, or behind for a negative one.
    fileprivate func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? self + spaces : spaces + self
    }
}
