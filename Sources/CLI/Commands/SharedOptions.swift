import WebImage

extension OptionDeclaration {
    static let json = OptionDeclaration("--json", help: "Print one JSON object a line, for machines.")
    static let insecure = OptionDeclaration(
        "--insecure", help: "Accept servers whose certificate cannot be verified.")
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
