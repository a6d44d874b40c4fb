/// Transformers one after the other, left to right. An empty pipeline changes nothing.
public struct PipelineTransformer: ImageTransformer {
    /// The transformers as given.
    public let transformers: [any ImageTransformer]

    /// A pipeline of transformers, applied left to right.
    public init(_ transformers: [any ImageTransformer]) {
        self.transformers = transformers
    }

    /// The stages' keys, joined with `-`.
    public var key: String { stages.map(\.key).joined(separator: "-") }

    /// The stages of all transformers, pipelines in pipelines unfolded.
    public var stages: [any ImageTransformer] { transformers.flatMap(\.stages) }

    /// Not as a whole: each stage decides for itself.
    public var preservesImageMetadata: Bool { false }

    /// Runs the stages; the first that throws ends it.
    public func transform(_ image: DecodedImage) throws(ImageError) -> DecodedImage {
        var result = image
        for stage in stages { result = try stage.apply(to: result) }
        return result
    }
}

extension ImageTransformer where Self == PipelineTransformer {
    /// Transformers one after the other.
    public static func pipeline(_ transformers: [any ImageTransformer]) -> PipelineTransformer {
        PipelineTransformer(transformers)
    }

    /// No change; in a load's context it switches the manager's transformer off.
    public static var identity: PipelineTransformer { PipelineTransformer([]) }
}
