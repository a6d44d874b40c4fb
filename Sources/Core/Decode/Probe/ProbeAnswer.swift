/// What the first bytes of a file tell.
public enum ProbeAnswer: Sendable, Hashable {
    /// The header is there. `ImageProbe.isFinal` says whether later bytes may still change something.
    case found(ImageProbe)
    /// More bytes are wanted: so many from the start of the file, always more than there were. A file that has fewer is
    /// to be given whole, with `isComplete`.
    case needsBytes(Int)
    /// The bytes are of no format that a registered coder reads; more of them would not help.
    case unknown
}
