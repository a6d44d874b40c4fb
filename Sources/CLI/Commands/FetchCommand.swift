import WebImage

extension Command {
    static let fetch = Command(
        name: "fetch",
        summary: "Fetch pictures through the cache, many at once.",
        operands: "URL|FILE|LIST…",
        paragraphs: [
            "A picture is taken from the cache where it is there, else loaded, decoded, and kept. An argument that "
                + "begins with http:, https:, data: or file: is a URL; a file that holds a picture is a picture; any "
                + "other text file is a list with one URL or path a line, in which blank lines and lines that begin "
                + "with # are left out; - is a list on standard input.",
            "Each picture is one line on standard output: where it came from (memory, disk or network; a local "
                + "file counts as disk), its size, its bytes, the time it took. Each failure is one line on standard "
                + "error, and the others go on.",
            "--thumbnail comes first; --resize, --crop and all that changes a picture follow in the order in which "
                + "they stand, and what comes of it is kept in the cache too.",
        ],
        options: [
            ValueOption.thumbnail.declaration
        ] + ChangeOption.declarations + [
            ValueOption.filter.declaration, .linear, ValueOption.format.declaration,
            ValueOption.outputFolder.declaration, .noDecode,
            ValueOption.rounds.declaration, .retryFailed, .insecure,
            ValueOption.timeout.declaration, .json, .quiet,
        ],
        examples: [
            Example("webimage fetch https://example.org/a.png", "Brings one picture into the cache."),
            Example(
                "webimage fetch --thumbnail 400x400 --format jpeg -o thumbs list.txt",
                "Writes a small JPEG of each picture in the list to the folder thumbs."),
            Example(
                "find . -name '*.webp' | webimage fetch --quiet -",
                "Tells which files cannot be decoded, and nothing else."),
        ],
        run: { (arguments, console) async throws(UsageError) in
            let settings = try FetchSettings(arguments)
            if settings.format != nil, settings.outputFolder == nil {
                console.report("webimage fetch: --format has no effect without -o")
            }
            return await FetchJob(settings, console).run()
        })
}

extension OptionDeclaration {
    static let noDecode = OptionDeclaration(
        "--no-decode", help: "Only get the bytes; whether a picture can be decoded is not tried.")
    static let retryFailed = OptionDeclaration(
        "--retry-failed", help: "With --repeat: try again what failed in a round before.")
    static let quiet = OptionDeclaration("-q", "--quiet", help: "Print failures only.")
}

extension ValueOption<ImageSize> {
    static var thumbnail: Self {
        Self(
            "--thumbnail", placeholder: "WxH",
            help: "Decode no larger than W by H pixels, proportions kept; 0 leaves a side free.",
            hint: "such as 400x300 or 400x0"
        ) { text in
            ImageSize(argument: text[...]).flatMap { $0 == .zero ? nil : $0 }
        }
    }
}

extension ValueOption<ImageFormat> {
    static var format: Self {
        Self(
            "--format", placeholder: "FORMAT",
            help: "Write png, jpeg, webp, gif, avif, heic or bmp, whatever the pictures were.",
            hint: "of png, jpeg, webp, gif, avif, heic and bmp"
        ) { text in
            ImageFormat(fileExtension: text).flatMap { CodersManager.shared.canEncode(to: $0) ? $0 : nil }
        }
    }
}

extension ValueOption<String> {
    static var outputFolder: Self {
        Self(
            "-o", "--output", placeholder: "DIR",
            help: "Write each picture to the folder DIR, named as its URL ends. The bytes are those of the original "
                + "unless --thumbnail, --format or a change asks for others. No other file is replaced.",
            hint: "that names a folder"
        ) { $0.isEmpty ? nil : $0 }
    }
}

extension ValueOption<Int> {
    static var rounds: Self {
        Self(
            "--repeat", placeholder: "N", help: "Fetch all of it N times, one round after the other.",
            hint: "from 1 on"
        ) { text in
            Int(text).flatMap { $0 >= 1 ? $0 : nil }
        }
    }
}

extension ValueOption<Double> {
    static var timeout: Self {
        Self(
            "--timeout", placeholder: "S",
            help: "Give a download up when nothing came for S seconds, or next to nothing for the longer of S and 30. "
                + "Default 15.",
            hint: "of seconds above 0"
        ) { text in
            Double(text).flatMap { $0 > 0 && $0 <= 86_400 ? $0 : nil }
        }
    }
}
