import CWebImageGdkPixbuf

/// How a loader says which bytes are its own.
struct PixbufSignature: Sendable {
    let loaderName: String
    private let patterns: [Pattern]

    /// One of a loader's patterns, as `GdkPixbufModulePattern` describes it.
    private struct Pattern {
        /// The bytes, and for each what it asks for: a space the same byte, `!` another one, `z` 0, `n` anything but
        /// 0; what else stands there, anything.
        let bytes: [(value: UInt8, rule: UInt8)]
        let isAnchored: Bool
        let relevance: Int

        func matches(_ head: ArraySlice<UInt8>) -> Bool {
            guard head.count >= bytes.count else { return false }
            return zip(bytes, head).allSatisfy { expected, byte in
                switch expected.rule {
                case UInt8(ascii: " "): byte == expected.value
                case UInt8(ascii: "!"): byte != expected.value
                case UInt8(ascii: "z"): byte == 0
                case UInt8(ascii: "n"): byte != 0
                default: true
                }
            }
        }
    }

    /// How sure the loader is, up to 100; `nil` for bytes that are not its own.
    func relevance(of head: [UInt8]) -> Int? {
        patterns.first { pattern in
            let starts = pattern.isAnchored ? 0..<1 : 0..<max(1, head.count)
            return starts.contains { pattern.matches(head[min($0, head.count)...]) }
        }?.relevance
    }

    /// The loaders of this machine for formats that no coder of this library reads, as of the first question.
    static let installed: [PixbufSignature] = {
        let formats = unsafe gdk_pixbuf_get_formats()
        defer { unsafe g_slist_free(formats) }
        var signatures: [PixbufSignature] = []
        var item = unsafe formats
        while let current = unsafe item {
            if let data = unsafe current.pointee.data,
                let signature = unsafe PixbufSignature(data.assumingMemoryBound(to: GdkPixbufFormat.self).pointee)
            {
                signatures.append(signature)
            }
            unsafe item = unsafe current.pointee.next
        }
        return signatures
    }()

    private static let readByOwnCoders: Set<String> = [
        "jpeg", "png", "gif", "webp", "avif", "heif", "heif/avif", "jxl", "tiff", "svg", "bmp", "ico",
    ]

    /// QuickTime pictures, Apple's icons and animated cursors hold files of other formats. Their loaders hand those on
    /// without asking for a limit first, so that a few bytes could ask for gigabytes.
    private static let unbounded: Set<String> = ["qtif", "icns", "ani"]

    private init?(_ format: GdkPixbufFormat) {
        guard let name = unsafe format.name, unsafe format.disabled == 0 else { return nil }
        loaderName = unsafe String(cString: name)
        guard !Self.readByOwnCoders.union(Self.unbounded).contains(loaderName), var pattern = unsafe format.signature
        else { return nil }
        var patterns: [Pattern] = []
        while let prefix = unsafe pattern.pointee.prefix {
            let mask = unsafe pattern.pointee.mask.map { unsafe String(cString: $0) } ?? ""
            unsafe patterns.append(Self.pattern(prefix, mask, relevance: Int(pattern.pointee.relevance)))
            unsafe pattern += 1
        }
        self.patterns = patterns
    }

    private static func pattern(_ prefix: UnsafePointer<CChar>, _ mask: String, relevance: Int) -> Pattern {
        // Not a String: the bytes of a signature are not text.
        var values: [UInt8] = []
        var next = unsafe prefix
        while unsafe next.pointee != 0 {
            unsafe values.append(UInt8(bitPattern: next.pointee))
            unsafe next += 1
        }
        let isAnchored = !mask.hasPrefix("*")
        let dropped = isAnchored ? 0 : 1
        let rules = Array(mask.utf8) + Array(repeating: UInt8(ascii: " "), count: values.count)
        return Pattern(
            bytes: zip(values, rules).dropFirst(dropped).map { ($0, $1) }, isAnchored: isAnchored,
            relevance: relevance)
    }
}
