/// The words after a command, told apart by the options that it declares.
struct ParsedArguments: Sendable {
    /// What is no option, in order.
    private(set) var operands: [String] = []
    /// The options, by their long names, in order; the text of one that takes no value is empty.
    private(set) var given: [(name: String, text: String)] = []

    /// `--name value`, `--name=value`, `-n value`, `-nvalue`; `-` is an operand, and all after `--` are.
    init(_ words: some Sequence<String>, options: [OptionDeclaration]) throws(UsageError) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            try take(word, &rest, options)
        }
    }

    func has(_ option: OptionDeclaration) -> Bool {
        given.contains { $0.name == option.longName }
    }

    /// The value of an option, the last where there are several; `nil` where it is not given.
    func value<Value>(of option: ValueOption<Value>) throws(UsageError) -> Value? {
        guard let last = given.last(where: { $0.name == option.declaration.longName }) else { return nil }
        return try value(last.text, of: option)
    }

    func value<Value>(_ text: String, of option: ValueOption<Value>) throws(UsageError) -> Value {
        if let value = option.read(text) { return value }
        throw UsageError("'\(text)' is no value for \(option.declaration.longName); give one \(option.hint)")
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>, _ options: [OptionDeclaration]
    ) throws(UsageError) {
        let (name, attached) = Self.split(word)
        guard let option = options.first(where: { $0.names.contains(name) }) else {
            throw UsageError(unknown: "option", name, known: options.flatMap(\.names))
        }
        guard option.takesValue else {
            if attached != nil { throw UsageError("\(name) takes no value") }
            given.append((option.longName, ""))
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("\(name) needs a value: \(name) \(option.placeholder ?? "")")
        }
        given.append((option.longName, value))
    }

    /// The name of an option, and the value that is written in one word with it.
    private static func split(_ word: String) -> (name: String, attached: String?) {
        if word.hasPrefix("--") {
            guard let sign = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<sign]), String(word[word.index(after: sign)...]))
        }
        let attached = word.dropFirst(2)
        return (String(word.prefix(2)), attached.isEmpty ? nil : String(attached))
    }
}
