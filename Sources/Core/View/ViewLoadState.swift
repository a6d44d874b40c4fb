public import WebImageFoundation

/// What is known of one of a view's pictures. A value: watch `ViewLoads.onStateChange` for the next one.
public struct ViewLoadState: Sendable {
    /// How far it has come.
    public enum Phase: Sendable {
        /// Under way.
        case loading
        /// There, from that source.
        case loaded(LoadSource)
        /// It ended with an error.
        case failed(ImageError)
        /// It was cancelled.
        case cancelled
    }

    /// The slot.
    public let operationKey: String
    /// The URL that was set last; `nil` where none was.
    public let url: URL?
    /// How far it has come.
    public internal(set) var phase: Phase
    /// How many of its bytes arrived.
    public internal(set) var progress = ViewLoadProgress()
}

extension ViewLoadState: CustomStringConvertible, CustomDebugStringConvertible {
    /// Slot, phase and URL, without its credentials.
    public var description: String { "\(operationKey): \(phase.text), \(url.map(\.withoutCredentials) ?? "no URL")" }
    /// As `description`.
    public var debugDescription: String { description }
}

extension ViewLoadState.Phase {
    fileprivate var text: String {
        switch self {
        case .loading: "loading"
        case .loaded(let source): "from \(source)"
        case .failed(let error): "failed (\(error))"
        case .cancelled: "cancelled"
        }
    }
}

/// How many of the bytes of a view's picture arrived.
public struct ViewLoadProgress: Sendable, Hashable {
    /// What both counts are for a picture that came without any news of bytes, as from memory.
    public static let unknownUnitCount = 1

    /// Bytes that arrived.
    public internal(set) var completedUnitCount = 0
    /// Bytes of the whole; 0 as long as nothing is known.
    public internal(set) var totalUnitCount = 0

    /// 0…1; `nil` as long as nothing is known.
    public var fractionCompleted: Double? {
        totalUnitCount > 0 ? min(1, Double(completedUnitCount) / Double(totalUnitCount)) : nil
    }

    mutating func note(_ news: LoadProgress) {
        completedUnitCount = news.receivedByteCount
        totalUnitCount = news.expectedByteCount ?? 0
    }

    mutating func end() {
        if completedUnitCount == 0 { completedUnitCount = Self.unknownUnitCount }
        totalUnitCount = completedUnitCount
    }
}
