import WebImage

extension Command {
    static let cache = Command(
        name: "cache",
        summary: "Look after the cache on disk.",
        operands: "ACTION …",
        paragraphs: [
            "path prints the folder of the cache. ls lists its pictures, the last used first; a * marks those that are "
                + "pinned. size counts them and their bytes.",
            "trim removes what is older than a week or beyond 512 MiB, the oldest first until half of that is left; "
                + "--max-age and --max-size choose other limits. clear removes all, pinned pictures too, or with --tag "
                + "those alone that are pinned under that name and no other.",
            "verify reads every picture, compares it with the digest that it was stored with, removes what is damaged "
                + "and says what that was; --dry-run only looks. The exit status is 1 when something wrong was left.",
            "pin URL… keeps pictures, now or when they are fetched, from being trimmed, under a name given with --tag "
                + "where that helps; --remove takes the pin away. export DIR [URL…] copies pictures, or all of them, "
                + "to a folder, named as their URLs end.",
            "The folder is $XDG_CACHE_HOME/webimage/default, or ~/.cache/webimage/default where the variable is not "
                + "set. Any number of processes may use it at once.",
        ],
        options: [
            ValueOption.namespace.declaration, ValueOption.maxAge.declaration, ValueOption.maxSize.declaration,
            ValueOption.tag.declaration, .removePin, .dryRun, .json,
        ],
        examples: [
            Example("webimage cache ls", "Lists what is in the cache."),
            Example("webimage cache trim --max-size 100MB", "Leaves at most 100 MB."),
            Example("webimage cache pin --tag trip https://example.org/map.png", "Keeps a map for a trip."),
            Example("XDG_CACHE_HOME=/tmp/mine webimage cache clear", "Empties another cache."),
        ],
        run: { (arguments, console) async throws(UsageError) in
            let actions = CacheAction.all
            guard let name = arguments.operands.first else {
                throw UsageError("say what to do: " + actions.map(\.name).joined(separator: ", "))
            }
            guard let action = actions.first(where: { $0.name == name }) else {
                throw UsageError(unknown: "action", name, known: actions.map(\.name))
            }
            let other = arguments.given.first { !(action.options + common).map(\.longName).contains($0.name) }
            if let other { throw UsageError("\(other.name) does not go with cache \(name)") }
            let job = try CacheJob(arguments, console)
            if !action.takesOperands, !job.operands.isEmpty { throw UsageError("cache \(name) takes nothing more") }
            guard !action.readsFolder || job.attempt(job.disk.folder, job.checkFolder) else { return .failure }
            return try await action.run(job)
        })
}

/// The options that go with every action.
private let common: [OptionDeclaration] = [ValueOption.namespace.declaration, .json]

extension OptionDeclaration {
    static let removePin = OptionDeclaration("--remove", help: "With pin: take the pin away.")
    static let dryRun = OptionDeclaration("--dry-run", help: "With verify: remove nothing.")
}

extension ValueOption<String> {
    static var namespace: Self {
        Self(
            "--namespace", placeholder: "NAME", help: "Look after the cache of another name than default.",
            hint: "that names a cache"
        ) { $0.isEmpty ? nil : $0 }
    }

    static var tag: Self {
        Self(
            "--tag", placeholder: "TAG",
            help: "With pin: under this name. A picture stays until its last tag is gone. With clear: these only.",
            hint: "of a few letters"
        ) { $0.isEmpty || $0.utf8.count > 60 ? nil : $0 }
    }
}

extension ValueOption<Duration> {
    static var maxAge: Self {
        Self(
            "--max-age", placeholder: "AGE",
            help: "With trim: remove what was not used for so long, such as 12h or 30d.",
            hint: "such as 30m, 12h or 7d"
        ) { text in
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
                (0...1_000_000).contains(count)
            else { return nil }
            return .seconds(count * unit)
        }
    }
}

extension ValueOption<Int> {
    static var maxSize: Self {
        Self(
            "--max-size", placeholder: "SIZE",
            help: "With trim: where there is more, leave half of it, such as 100MB. Units: B, kB, MB, GB (powers of "
                + "1000), KiB, MiB, GiB (of 1024), in upper or lower case.",
            hint: "such as 500kB, 100MB or 2GiB"
        ) { text in
            let text = text.lowercased()
            guard let (name, factor) = sizeUnits.first(where: { text.hasSuffix($0.name) }),
                let count = Int(text.dropLast(name.count)), (0...1_000_000_000).contains(count)
            else { return nil }
            return count * factor
        }
    }
}

/// In lower case, each before those that it ends with.
private let sizeUnits: [(name: String, factor: Int)] = [
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000),
    ("b", 1), ("", 1),
]
