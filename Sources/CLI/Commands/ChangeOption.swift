import WebImage

/// An option that changes the picture.
struct ChangeOption: Sendable {
    let option: ValueOption<any ImageTransformer>

    /// One with a value.
    private init(
        _ name: String, placeholder: String, help: String, hint: String,
        read: @escaping @Sendable (String) -> (any ImageTransformer)?
    ) {
        option = ValueOption(name, placeholder: placeholder, help: help, hint: hint, read: read)
    }

    /// One that says all by its name.
    private init(_ name: String, help: String, _ change: any ImageTransformer) {
        option = ValueOption(flag: name, help: help, value: change)
    }

    /// All, in the order of the help.
    static let all = [
        resize, crop, rotate, flip, round, circle, blur, sharpen,
        ChangeOption("--grayscale", help: "Take the colour out.", .filter(.grayscale)),
        ChangeOption("--sepia", help: "Make it brown as an old photograph.", .filter(.sepia())),
        ChangeOption("--invert", help: "Turn each colour into its complement.", .filter(.invert)),
    ]

    static var declarations: [OptionDeclaration] { all.map(\.option.declaration) }

    private static let resize = ChangeOption(
        "--resize", placeholder: "WxH[:MODE]",
        help: "Make it exactly W by H pixels. MODE is fill (stretched, the default), fit (whole, on a "
            + "transparent ground) or aspect-fill (covering, the rest cut off).",
        hint: "such as 400x300 or 400x300:fit"
    ) { ResizingTransformer(argument: $0) }

    private static let crop = ChangeOption(
        "--crop", placeholder: "WxH[+X+Y]",
        help: "Keep the part of W by H pixels that begins X to the right and Y down; what lies outside is left out.",
        hint: "such as 400x300 or 400x300+20+10"
    ) { ImageRect(argument: $0).map { .cropping(to: $0) } }

    private static let rotate = ChangeOption(
        "--rotate", placeholder: "DEGREES",
        help: "Turn it clockwise; it grows so that all of it shows. Quarter turns are exact.",
        hint: "such as 90 or -7.5"
    ) { text in Double(text).flatMap { $0.isFinite ? .rotation(-$0 / 180 * .pi) : nil } }

    private static let flip = ChangeOption(
        "--flip", placeholder: "HOW", help: "Mirror it: horizontal (left for right), vertical or both.",
        hint: "of horizontal, vertical and both"
    ) { text in
        let directions: [String: FlipDirections] = [
            "horizontal": .horizontal, "vertical": .vertical, "both": [.horizontal, .vertical],
        ]
        return directions[text].map { .flipping($0) }
    }

    private static let round = ChangeOption(
        "--round", placeholder: "RADIUS", help: "Round the corners by so many pixels; what is cut off is transparent.",
        hint: "such as 20"
    ) { Double(length: $0).map { .roundCorner($0) } }

    private static let circle = ChangeOption(
        "--circle", help: "Keep the largest circle in its middle.", .circle)

    private static let blur = ChangeOption(
        "--blur", placeholder: "RADIUS", help: "Blur it by a Gaussian of so many pixels' standard deviation.",
        hint: "such as 5 or 0.7"
    ) { Double(length: $0).map { .blur(radius: $0) } }

    private static let sharpen = ChangeOption(
        "--sharpen", placeholder: "RADIUS[:AMOUNT]",
        help: "Sharpen it: add AMOUNT times (1 unless said) what a blur by RADIUS takes away.",
        hint: "such as 1 or 1.5:0.8"
    ) { text in
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Double(length: String($0)) }
        guard let radius = numbers[0], numbers.count <= 2, let amount = numbers.count == 2 ? numbers[1] : 1 else {
            return nil
        }
        return .filter(.sharpen(radius: radius, amount: amount))
    }
}

extension ParsedArguments {
    /// The changes that are asked for, in the order in which they stand; `nil` for none.
    func changes() throws(UsageError) -> PipelineTransformer? {
        let resampling = try resampling()
        var changes: [any ImageTransformer] = []
        for word in given {
            guard let change = ChangeOption.all.first(where: { $0.option.declaration.longName == word.name }) else {
                continue
            }
            let transformer = try value(word.text, of: change.option)
            changes.append((transformer as? ResizingTransformer)?.weighing(resampling) ?? transformer)
        }
        return changes.isEmpty ? nil : PipelineTransformer(changes)
    }
}

extension Double {
    /// A length that is not negative.
    fileprivate init?(length text: String) {
        guard let number = Double(text), number.isFinite, number >= 0 else { return nil }
        self = number
    }
}

extension ImageRect {
    /// `400x300` or `400x300+20+10`.
    fileprivate init?(argument: String) {
        let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
        guard let size = ImageSize(argument: parts[0]), size.width > 0, size.height > 0,
            parts.count == 1 || parts.count == 3
        else { return nil }
        let places = parts.dropFirst().map { Int($0) ?? -1 }
        guard places.allSatisfy({ (0...DecodeLimits().maxDimension).contains($0) }) else { return nil }
        self.init(
            x: Double(places.first ?? 0), y: Double(places.last ?? 0), width: size.width, height: size.height)
    }
}

extension ResizingTransformer {
    /// `400x300` or `400x300:fit`.
    fileprivate init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let size = ImageSize(argument: parts[0]), size.width > 0, size.height > 0,
            let mode = parts.count == 2 ? Mode(argument: parts[1]) : .fill
        else { return nil }
        self.init(size: size, mode: mode)
    }

    fileprivate func weighing(_ resampling: Resampling) -> ResizingTransformer {
        ResizingTransformer(size: size, mode: mode, resampling: resampling)
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
