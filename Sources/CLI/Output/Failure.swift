import WebImage

/// What went wrong with one picture.
struct Failure: Sendable {
    /// The URL or the path, as it was given.
    let source: String
    let stage: LoadStage
    let message: String

    init(_ error: ImageError, of source: String) {
        self.source = source
        stage = error.stage
        message = error.message
    }

    /// Stage and message, for a machine.
    var text: String { "\(stage.rawValue): \(message)" }
    /// For a person.
    var line: String { "webimage: \(PictureSource.displayName(source)): \(text.printable)" }
}

extension String {
    /// Without what would move the cursor, end the line or turn the direction of a terminal's text.
    var printable: String {
        // Nearly all text is of this kind, and told by a look at its bytes.
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { Self.isPrintable($0) ? $0 : "\u{FFFD}" }))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: true
        }
    }
}
