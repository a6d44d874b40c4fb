import Synchronization
import WebImageFoundation

extension ColorTransform {
    /// The transform for what a file says, made anew or one that an earlier file with the same words needed.
    ///
    /// Making a transform takes 2 to 3 ms, more than decoding a small picture does, and the pictures of one site tend
    /// to have one profile. The last 8 are kept. Any thread.
    ///
    /// - Returns: `nil` when nothing is to be done, as `init` says.
    public static func shared(for source: SourceColor) -> ColorTransform? {
        guard source.encoding != .standard else { return ColorTransform(source) }
        guard isWorthKeeping(source) else { return ColorTransform(source) }
        if let known = recent.withLock({ $0.transform(for: source) }) { return known.transform }
        let made = ColorTransform(source)
        recent.withLock { $0.insert(RecentTransforms.Entry(source: source, transform: made)) }
        return made
    }

    private static let recent = Mutex(RecentTransforms())

    /// Large profiles, those of printing presses for the most part, are rare and would fill memory.
    private static func isWorthKeeping(_ source: SourceColor) -> Bool {
        guard case .profile(let data) = source.encoding else { return true }
        return data.count <= 64 << 10
    }
}

/// The transforms that were asked for last.
private struct RecentTransforms {
    struct Entry {
        let source: SourceColor
        let transform: ColorTransform?
    }

    private static let capacity = 8
    /// The last used one comes last.
    private var entries: [Entry] = []

    mutating func transform(for source: SourceColor) -> Entry? {
        guard let index = entries.lastIndex(where: { $0.source == source }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry
    }

    mutating func insert(_ entry: Entry) {
        entries.removeAll { $0.source == entry.source }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(source: entry.source.detached, transform: entry.transform))
    }
}

extension SourceColor {
    /// The same, holding no more bytes than its own: a slice would keep its whole file in memory.
    fileprivate var detached: SourceColor {
        guard case .profile(let data) = encoding else { return self }
        return SourceColor(channels, .profile(Data([UInt8](data))))
    }
}
