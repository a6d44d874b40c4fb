import WebImage

extension ValueOption<ResamplingFilter> {
    static var filter: Self {
        Self(
            "--filter", placeholder: "NAME",
            help: "How --thumbnail and --resize weigh pixels: lanczos3 (sharp, the default), mitchell (fewer halos), "
                + "bilinear (soft), box, or nearest (jagged, no new colours).",
            hint: "of lanczos3, mitchell, bilinear, box and nearest"
        ) { ResamplingFilter(rawValue: $0) }
    }
}

extension OptionDeclaration {
    static let linear = OptionDeclaration(
        "--linear",
        help: "Let --thumbnail and --resize weigh pixels as light adds up, so that fine bright detail keeps its "
            + "brightness. Slower.")
}

extension ParsedArguments {
    /// How sizes are changed.
    func resampling() throws(UsageError) -> Resampling {
        let filter = try value(of: .filter)
        let isGiven = filter != nil || has(.linear)
        let sizes = [ValueOption.thumbnail.declaration.longName, "--resize"]
        guard !isGiven || given.contains(where: { sizes.contains($0.name) }) else {
            throw UsageError("--filter and --linear say how --thumbnail and --resize work; give one of these")
        }
        return Resampling(filter ?? .lanczos3, light: has(.linear) ? .linear : .encoded)
    }
}
