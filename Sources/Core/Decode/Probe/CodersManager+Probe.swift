public import WebImageFoundation

extension CodersManager {
    /// What the first bytes of a file tell, and how many more it takes.
    ///
    ///     var wanted = 64
    ///     while true {
    ///         let bytes = try await source.firstBytes(wanted)
    ///         switch try coders.probe(prefix: bytes, isComplete: bytes.count < wanted) {
    ///         case .found(let probe): return probe
    ///         case .needsBytes(let count): wanted = count
    ///         case .unknown: return nil
    ///         }
    ///     }
    ///
    /// JPEG takes everything before its first scan, PNG everything before its pixels, GIF and WebP the header and the
    /// first frame's, AVIF and HEIC the boxes that describe the picture, TIFF its first directory wherever it stands,
    /// SVG everything up to the end of the root element's start tag. Where a coder cannot read a header alone (its
    /// `probe` throws for a cut file), the answer asks for twice as much until it can.
    ///
    /// - Parameters:
    ///   - prefix: From the start of the file, in one piece.
    ///   - isComplete: Whether these are all bytes of the file.
    ///   - limits: Whose `maxByteCount` bounds what is asked for.
    /// - Throws: `badImageData` for a complete file whose header cannot be read, `limitExceeded` for a header that does
    ///   not end within the limit.
    public func probe(
        prefix: Data, isComplete: Bool, limits: DecodeLimits = DecodeLimits()
    ) throws(ImageError) -> ProbeAnswer {
        guard canDecode(prefix) else {
            guard !isComplete, let more = Self.signatureByteCounts.first(where: { $0 > prefix.count }) else {
                return .unknown
            }
            return .needsBytes(more)
        }
        if isComplete { return .found(try probe(prefix)) }
        guard let format = FormatSniffer.format(of: prefix) else {
            return try probed(prefix, HeaderExtent.Known(), limits)
        }
        switch HeaderExtent(of: format, in: prefix) {
        case .whole(let known): return try probed(prefix, known, limits)
        case .needs(let count): return try Self.asking(for: max(count, prefix.count + 1), after: prefix, limits)
        }
    }

    /// As many as any signature takes, and as many as the first words of an SVG may; see `FormatSniffer`.
    private static let signatureByteCounts = [64, 1024]

    private func probed(
        _ prefix: Data, _ known: HeaderExtent.Known, _ limits: DecodeLimits
    ) throws(ImageError) -> ProbeAnswer {
        do throws(ImageError) {
            var probe = try probe(prefix)
            probe.isFinal = known.isFinal
            probe.frameCount = max(probe.frameCount, known.frameCount ?? 1)
            return .found(probe)
        } catch {
            // Damaged, or more than the header after all: which of the two, only more bytes can tell.
            guard error.code == .badImageData else { throw error }
            return try Self.asking(for: max(4096, prefix.count * 2), after: prefix, limits)
        }
    }

    private static func asking(
        for count: Int, after prefix: Data, _ limits: DecodeLimits
    ) throws(ImageError) -> ProbeAnswer {
        guard count > limits.maxByteCount else { return .needsBytes(count) }
        guard prefix.count < limits.maxByteCount else {
            throw ImageError(
                .limitExceeded, .decode,
                "the header does not end within the limit of \(limits.maxByteCount) bytes; "
                    + "raise DecodeLimits.maxByteCount")
        }
        // A damaged header names places that no file has; its coder may read it all the same.
        return .needsBytes(min(limits.maxByteCount, max(4096, prefix.count * 2)))
    }
}
