import WebImage

extension OptionDeclaration {
    static let json = OptionDeclaration("--json", help: "Print one JSON object a line, for machines.")
    static let insecure = OptionDeclaration(
        "--insecure", help: "Accept servers whose certificate cannot be verified.")
}

extension ValueOption<ResizingTransformer> {
    static var resize: Self {
        Self(
            "--resize", placeholder: "WxH[:MODE]",
            help: "Make it exactly W by H pixels. MODE is fill (stretched, the default), fit (whole, on a "
                + "transparent ground) or aspect-fill (covering, the rest cut off).",
            hint: "such as 400x300 or 400x300:fit"
        ) { text in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let size = ImageSize(argument: parts[0]), size.width > 0, size.height > 0,
                let mode = parts.count == 2 ? ResizingTransformer.Mode(argument: parts[1]) : .fill
            else { return nil }
            return ResizingTransformer(size: size, mode: mode)
        }
    }
}

extension ImageSize {
    /// `400x300`.
    init?(argument: Substring) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            (0...DecodeLimits().maxDimension).contains(width), (0...DecodeLimits().maxDimension).contains(height)
        else { return nil }
        self.init(Double(width), Double(height))
    }
}

extension ResizingTransformer.Mode {
    fileprivate init?(argument: Substring) {
        switch argument {
        case "fill": self = .fill
        case "fit", "aspect-fit": self = .aspectFit
        case "aspect-fill": self = .aspectFill
        default: return nil
        }
    }
}
