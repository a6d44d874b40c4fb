import WebImageFoundation

/// Where caches lie when nobody says where.
enum CacheFolder {
    /// `$XDG_CACHE_HOME/webimage`, or `~/.cache/webimage` where the variable is missing or no absolute path, as the XDG
    /// Base Directory Specification says.
    static func standard(environment: [String: String], home: String) -> String {
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache + "/webimage" }
        return home + "/.cache/webimage"
    }

    static var standard: URL {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let path = standard(environment: environment, home: home ?? path(of: URL.homeDirectory))
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The folder of one cache below a folder of caches. A namespace is one name, never a way to another place.
    static func path(namespace: String, in directory: URL) -> String {
        path(of: directory) + "/" + name(namespace)
    }

    /// `/` and NUL are no part of a name; an empty one, or one that begins with a dot, means something else.
    private static func name(_ namespace: String) -> String {
        var text = ""
        for scalar in namespace.unicodeScalars {
            switch scalar {
            case "%": text += "%25"
            case "/": text += "%2F"
            case "\0": text += "%00"
            case "." where text.isEmpty: text += "%2E"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text.isEmpty ? "%" : text
    }

    /// The namespaces that have a folder, sorted.
    static func namespaces(in directory: URL) -> [String] {
        var names: [String] = []
        unsafe DirectoryStream.visit(path(of: directory)) { name, stream in
            guard (try? unsafe stream.status(name))?.isFolder == true else { return }
            names.append(unsafe String(decoding: name, as: UTF8.self))
        }
        return names.compactMap(namespace).sorted()
    }

    /// What a folder is the namespace of; `nil` where none has that name.
    private static func namespace(_ folder: String) -> String? {
        var text = folder == "%" ? "" : folder
        for (escape, plain) in [("%2F", "/"), ("%2E", "."), ("%00", "\0"), ("%25", "%")] {
            text = text.split(separator: escape, omittingEmptySubsequences: false).joined(separator: plain)
        }
        return name(text) == folder ? text : nil
    }

    private static func path(of directory: URL) -> String {
        var path = directory.path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
