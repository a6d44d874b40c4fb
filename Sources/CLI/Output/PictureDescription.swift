import WebImage

/// What a picture's header tells, for people and machines.
struct PictureDescription {
    /// As it was given.
    let source: String
    let probe: ImageProbe

    var json: JSONValue {
        let pages = probe.pageCount > 1 ? [JSONValue.Member("pageCount", .integer(probe.pageCount))] : []
        return .object(
            [
                .init("source", .string(source)),
                .init("format", .string(probe.format.rawValue)),
                .init("width", .integer(probe.size.width)),
                .init("height", .integer(probe.size.height)),
                .init("frameCount", .integer(probe.frameCount)),
                .init("loopCount", JSONValue(probe.loopCount)),
                .init("durations", .array(probe.durations.map(JSONValue.integer))),
                .init("hasAlpha", .bool(probe.hasAlpha)),
                .init("orientation", .integer(probe.orientation.rawValue)),
                .init("profile", JSONValue(probe.profileName)),
            ] + pages)
    }

    /// `a.gif: gif 200×100, 12 frames in 1.20 s, plays for ever, transparent`.
    var line: String {
        var parts = ["\(probe.format) \(probe.size)"]
        if probe.frameCount > 1 { parts.append(animation) }
        if probe.pageCount > 1 { parts.append("\(probe.pageCount) pages") }
        if probe.hasAlpha { parts.append("transparent") }
        if probe.orientation != .up { parts.append("orientation \(probe.orientation.rawValue)") }
        if let profile = probe.profileName { parts.append("profile \"\(profile.printable)\"") }
        return PictureSource.displayName(source) + ": " + parts.joined(separator: ", ")
    }

    private var animation: String {
        let length = probe.durations.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        let frames = "\(probe.frameCount) frames in \(Quantity.time(.milliseconds(length)))"
        switch probe.loopCount {
        case 0?: return frames + ", plays for ever"
        case 1?, nil: return frames + ", plays once"
        case let count?: return frames + ", plays \(count) times"
        }
    }
}
