/// The help, made of the same declarations that the parser reads.
enum HelpText {
    private static let width = 80

    static var tool: String {
        let commands = table(Command.all.map { ($0.name, $0.summary) })
        return """
            webimage \(Tool.version): fetches, caches, inspects and converts pictures.

            Usage: webimage COMMAND [OPTION…] …

            Commands:
            \(commands)

            Options:
            \(table([.help, .version].map(row)))

            'webimage COMMAND --help' tells all about a command. The exit status is 0 when
            all went well, 1 when something failed, 2 when the command line was not
            understood, and 130 after Ctrl-C.
            """
    }

    static func of(_ command: Command) -> String {
        let examples = command.examples.map { "  \($0.line)\n      \($0.meaning)" }.joined(separator: "\n")
        return """
            \(command.summary)

            Usage: webimage \(command.name) [OPTION…] \(command.operands)

            \(command.paragraphs.map { wrapped($0, indent: 0) }.joined(separator: "\n\n"))

            Options:
            \(table(command.allOptions.map(row)))

            Examples:
            \(examples)
            """
    }

    private static func row(_ option: OptionDeclaration) -> (String, String) {
        let names = option.names.joined(separator: ", ")
        // A lone long name stands below the long names of the others.
        let indent = option.names.count == 1 ? "    " : ""
        return (indent + names + (option.placeholder.map { " " + $0 } ?? ""), option.help)
    }

    private static func table(_ rows: [(name: String, text: String)]) -> String {
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        return rows.map { name, text in
            let gap = String(repeating: " ", count: column - name.count - 2)
            return "  \(name)\(gap)" + wrapped(text, indent: column)
        }.joined(separator: "\n")
    }

    /// Lines of at most 80 characters, all but the first moved to the right.
    private static func wrapped(_ text: String, indent: Int) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if indent + line.count + 1 + word.count <= width {
                lines[lines.count - 1] = line + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
