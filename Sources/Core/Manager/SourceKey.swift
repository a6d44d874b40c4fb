import WebImageFoundation

/// What two loads must have in common to share one read, one download and one decode: a kind of work, and of their
/// plans what matters to it.
struct SourceKey: Hashable, Sendable {
    private let work: Work
    private let plan: LoadPlan
    /// A coder of one's own has no identity to compare: such loads share nothing.
    private let soloist: ObjectIdentifier?

    private enum Work: Hashable {
        case cached
        case original
        case transformed(stage: String)
    }

    /// The picture as stored under the final key.
    static func cached(_ plan: LoadPlan, _ operation: LoadOperation) -> SourceKey {
        SourceKey(work: .cached, plan: plan, soloist: plan.soloist(operation))
    }

    /// The picture made of the original.
    static func original(_ plan: LoadPlan, _ operation: LoadOperation) -> SourceKey {
        SourceKey(work: .original, plan: plan, soloist: plan.soloist(operation))
    }

    /// What a stage of the transformer makes of a picture, among all that is made of that one.
    static func transformed(by stage: any ImageTransformer, _ plan: LoadPlan) -> SourceKey {
        SourceKey(work: .transformed(stage: stage.key), plan: plan, soloist: nil)
    }

    static func == (first: SourceKey, second: SourceKey) -> Bool {
        guard first.work == second.work, first.soloist == second.soloist else { return false }
        let (plan, other) = (first.plan, second.plan)
        switch first.work {
        case .cached: return plan.readsResult(as: other)
        case .original: return plan.getsOriginal(as: other)
        case .transformed: return plan.decodes(as: other)
        }
    }

    /// The cache key stands for most of what is compared.
    func hash(into hasher: inout Hasher) {
        switch work {
        case .cached: hasher.combine(plan.key)
        case .original: hasher.combine(plan.decodedKey)
        case .transformed: hasher.combine(work)
        }
    }
}

/// What two loads must have in common to share one call of the loader, whatever they make of the file.
struct FileKey: Hashable, Sendable {
    let plan: LoadPlan

    static func == (first: FileKey, second: FileKey) -> Bool {
        first.plan.getsFile(as: second.plan)
    }

    /// The cache key stands for most of what is compared.
    func hash(into hasher: inout Hasher) {
        hasher.combine(plan.originalKey)
    }
}

extension LoadPlan {
    fileprivate func soloist(_ operation: LoadOperation) -> ObjectIdentifier? {
        context.imageCoder == nil ? nil : ObjectIdentifier(operation)
    }

    /// Whether another load reads the same result from the cache, and decodes it so.
    fileprivate func readsResult(as other: LoadPlan) -> Bool {
        key == other.key && cache === other.cache && decodeOptions(of: .result) == other.decodeOptions(of: .result)
            && animates(as: other)
    }

    /// Whether another load gets the same original from the same place, and decodes it so.
    fileprivate func getsOriginal(as other: LoadPlan) -> Bool {
        getsFile(as: other) && looksForOriginal(as: other) && decodes(as: other)
    }

    /// Whether another load gets the same file from the loader, for the same place in the cache.
    fileprivate func getsFile(as other: LoadPlan) -> Bool {
        originalKey == other.originalKey && url == other.url && loader === other.loader
            && originalCache === other.originalCache && asks(as: other)
    }

    /// Whether another load tells the loader the same.
    private func asks(as other: LoadPlan) -> Bool {
        let relevant: LoadOptions = [
            .fromCacheOnly, .fromLoaderOnly, .allowInvalidSSLCertificates, .handleCookies, .progressiveLoad,
        ]
        return options.intersection(relevant) == other.options.intersection(relevant)
            && context.headers == other.context.headers
            && context.requestModifier == other.context.requestModifier
            && context.responseModifier == other.context.responseModifier
            && context.decryptor == other.context.decryptor
    }

    private func looksForOriginal(as other: LoadPlan) -> Bool {
        guard isVariant || other.isVariant else { return true }
        return isVariant == other.isVariant
            && context.originalQueryCacheType == other.context.originalQueryCacheType
    }

    /// Whether another load decodes the same bytes to the same picture.
    fileprivate func decodes(as other: LoadPlan) -> Bool {
        decodeOptions == other.decodeOptions && animates(as: other)
    }

    /// Whether another load makes the same of an animation.
    private func animates(as other: LoadPlan) -> Bool {
        let relevant: LoadOptions = [
            .preloadAllFrames, .matchAnimatedImageClass, .transformAnimatedImage, .transformVectorImage,
        ]
        return options.intersection(relevant) == other.options.intersection(relevant)
            && request.animatedImageClass == other.request.animatedImageClass
    }
}
