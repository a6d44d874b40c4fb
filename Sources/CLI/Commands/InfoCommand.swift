import WebImage

extension Command {
    static let info = Command(
        name: "info",
        summary: "Tell what picture files are, from their headers.",
        operands: "FILE|URL…",
        paragraphs: [
            "For each picture one line on standard output: format, size as it stands upright, frames, "
                + "transparency, orientation (the EXIF number, where it is not 1) and colour profile. - is a picture "
                + "on standard input. No pixels are decoded, so a file that is damaged further on is not found out.",
            "With --json an object has source, format, width, height, frameCount, loopCount (0 is for ever, null "
                + "where the file says nothing), durations (milliseconds), hasAlpha, orientation and profile, and "
                + "pageCount where there are several (of TIFF and HEIC); for a bad file source and error.",
        ],
        options: [.json, .insecure],
        examples: [
            Example("webimage info photo.jpg animation.gif", "Says what two files are."),
            Example("webimage info --json https://example.org/a.webp", "The same of a URL, for a machine."),
        ],
        run: { (arguments, console) async throws(UsageError) in
            guard !arguments.operands.isEmpty else { throw UsageError("name at least one file or URL") }
            var failureCount = 0
            for source in arguments.operands where !Task.isCancelled {
                if await !tell(source, arguments, console) { failureCount += 1 }
            }
            return ExitStatus(failureCount: failureCount)
        })

    /// - Returns: Whether all went well.
    private static func tell(_ source: String, _ arguments: ParsedArguments, _ console: Console) async -> Bool {
        let options: LoadOptions = arguments.has(.insecure) ? .allowInvalidSSLCertificates : []
        var isStored = true
        do throws(ImageError) {
            let data = try await PictureBytes.read(source, options: options) { error in
                isStored = false
                console.report(Failure(error, of: source))
            }
            let description = PictureDescription(source: source, probe: try CodersManager.shared.probe(data))
            console.print(arguments.has(.json) ? description.json.text : description.line)
            return isStored
        } catch {
            guard !error.isCancelled else { return false }
            let failure = Failure(error, of: source)
            console.report(failure)
            let json = JSONValue.object([.init("source", .string(source)), .init("error", .string(failure.text))])
            if arguments.has(.json) { console.print(json.text) }
            return false
        }
    }
}
