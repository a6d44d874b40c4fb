/// An option as it is written and explained. Declared once: parser and help both read this.
struct OptionDeclaration: Sendable {
    /// With its dash or dashes, such as `--json`; the last one is what errors call it.
    let names: [String]
    /// What stands for the value in the help; `nil` for an option without one.
    let placeholder: String?
    let help: String

    /// An option that is there or not.
    init(_ names: String..., help: String) {
        self.names = names
        placeholder = nil
        self.help = help
    }

    fileprivate init(names: [String], placeholder: String, help: String) {
        self.names = names
        self.placeholder = placeholder
        self.help = help
    }

    var longName: String { names.last ?? "" }
    /// Whether a value follows.
    var takesValue: Bool { placeholder != nil }
}

/// An option with a value, and how its text is read.
struct ValueOption<Value: Sendable>: Sendable {
    let declaration: OptionDeclaration
    /// `nil` for a text that is no such value.
    let read: @Sendable (String) -> Value?
    /// What a good value looks like, for the error: `such as 400x300`.
    let hint: String

    init(
        _ names: String..., placeholder: String, help: String, hint: String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        declaration = OptionDeclaration(names: names, placeholder: placeholder, help: help)
        self.hint = hint
        self.read = read
    }

    /// One that has its value where it is given at all.
    init(flag name: String, help: String, value: Value) {
        declaration = OptionDeclaration(name, help: help)
        hint = ""
        read = { _ in value }
    }
}

extension OptionDeclaration {
    static let help = OptionDeclaration("-h", "--help", help: "Print this help.")
    static let version = OptionDeclaration("--version", help: "Print the version.")
}
