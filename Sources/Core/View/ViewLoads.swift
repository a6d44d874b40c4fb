public import WebImageFoundation

/// The loads of one view: which picture it is to show, what it shows meanwhile, and what became of the last one.
///
/// A view kit gives each view one. Everything happens on the main thread. Of two loads for one slot the later one wins,
/// whichever ends first; when the view goes, its loads are cancelled.
@MainActor
public final class ViewLoads {
    /// Told how far the bytes of a picture have come.
    public typealias Progress = @MainActor @Sendable (LoadProgress) -> Void
    /// Told the picture or the one error.
    public typealias Completion = @MainActor @Sendable (Result<LoadResult, ImageError>) -> Void

    /// What shows the pictures; held weakly.
    public private(set) weak var target: (any ImageDisplaying)?
    /// Loads the pictures, unless a load's context names another.
    public var manager: ImageManager
    /// Shows that a load is under way. Default none.
    public var indicator: (any ImageIndicator)?
    /// How a picture appears that was not there at once. Default none.
    public var transition: ImageTransition?
    /// Told of each change to a slot, after it happened.
    public var onStateChange: (@MainActor (ViewLoadState) -> Void)?
    /// The slot that was used last.
    public private(set) var latestOperationKey: String?

    private let defaultOperationKey: String
    private var slots: [String: ViewLoadSlot] = [:]
    private var lastID = 0

    /// The loads of a view.
    ///
    /// - Parameter operationKey: The slot of loads whose context names none; the view's class name by default.
    public init(target: any ImageDisplaying, manager: ImageManager, operationKey: String? = nil) {
        self.target = target
        self.manager = manager
        defaultOperationKey = operationKey ?? "\(type(of: target))"
    }

    /// The URL that was set last.
    public var imageURL: URL? { state?.url }

    /// What is known of the slot that was used last.
    public var state: ViewLoadState? { latestOperationKey.flatMap { state(for: $0) } }

    /// What is known of a slot.
    public func state(for operationKey: String) -> ViewLoadState? { slots[operationKey]?.state }

    /// The load that is under way for a slot.
    public func operation(for operationKey: String) -> LoadOperation? { slots[operationKey]?.latestOperation }

    /// Cancels what is under way for the slot that was used last.
    public func cancelLatest() {
        if let latestOperationKey { cancel(operationKey: latestOperationKey) }
    }

    /// Cancels what is under way for a slot. The completions come before this returns.
    public func cancel(operationKey: String) {
        guard let slot = slots[operationKey] else { return }
        for load in slot.startingLoads { load.isCancelled = true }
        for operation in slot.operations { operation.cancel() }
    }

    /// Shows the picture of a URL.
    ///
    /// What was under way for the same slot is cancelled, unless the options have `avoidAutoCancelImage`; a picture
    /// that a completion sets when it is told of that gives way to this one. A picture in memory is shown before this
    /// returns. The view, the indicator and all closures may set, and cancel, while they are called: the call that
    /// began last wins.
    ///
    /// - Parameters:
    ///   - request: Its callback queue is not used: everything happens on the main thread. Without a URL the slot is
    ///     emptied, and the completion gets `invalidURL`.
    ///   - placeholders: What to show meanwhile, and instead.
    ///   - completion: Called exactly once, after the picture was given to the view, or at the end of its transition
    ///     with `waitTransition`.
    /// - Returns: The load; it has ended already for a picture in memory.
    @discardableResult
    public func setImage(
        _ request: ImageRequest, placeholders: ViewPlaceholders = ViewPlaceholders(), completion: Completion? = nil
    ) -> LoadOperation {
        setImage(request, placeholders: placeholders, progress: nil, completion: completion)
    }

    /// Shows the picture of a URL, and tells how far its load has come.
    ///
    /// - Parameter progress: Called as the bytes arrive, before the completion.
    /// - Returns: The load; it has ended already for a picture in memory.
    @discardableResult
    public func setImage(
        _ request: ImageRequest, placeholders: ViewPlaceholders = ViewPlaceholders(), progress: Progress?,
        completion: Completion?
    ) -> LoadOperation {
        let load = begin(request, placeholders, completion)
        var request = request
        let manager = request.context.customManager ?? manager
        request.context.customManager = nil
        request.context.operationKey = load.operationKey
        request.context.callbackQueue = .main
        let operation = manager.load(request) { [weak self] news in
            MainActor.assumeIsolated {
                self?.note(news, load)
                progress?(news)
            }
        } completion: { [weak self] result in
            MainActor.assumeIsolated {
                guard let self else { return load.complete(result) }
                self.end(result, load)
            }
        }
        slots[load.operationKey]?.add(operation, load)
        if load.isCancelled { operation.cancel() }
        return operation
    }

    private func begin(
        _ request: ImageRequest, _ placeholders: ViewPlaceholders, _ completion: Completion?
    ) -> ViewLoad {
        let key = request.context.operationKey ?? defaultOperationKey
        let replaces = !request.options.contains(.avoidAutoCancelImage)
        if replaces { cancelReplaced(operationKey: key) }
        latestOperationKey = key
        lastID += 1
        let cache = request.context.imageCache ?? request.context.customManager?.imageCache ?? manager.imageCache
        let load = ViewLoad(
            id: lastID, operationKey: key, options: request.options, placeholders: placeholders, cache: cache,
            hasURL: request.namesPicture, completion: completion)
        slots[key, default: ViewLoadSlot()].begin(
            load, ViewLoadState(operationKey: key, url: request.url, phase: .loading), replaces: replaces)
        if !request.options.contains(.delayPlaceholder), request.namesPicture {
            show(placeholders.placeholder, .placeholder, load)
        }
        guard isLatest(load) else { return load }
        if load.hasURL { indicator?.startAnimating() } else { indicator?.stopAnimating() }
        tellState(key)
        return load
    }

    /// Twice: a completion that is told of the first may set a picture of its own.
    private func cancelReplaced(operationKey: String) {
        cancel(operationKey: operationKey)
        cancel(operationKey: operationKey)
    }

    private func isLatest(_ load: ViewLoad) -> Bool { slots[load.operationKey]?.isLatest(load) ?? false }

    private func note(_ news: LoadProgress, _ load: ViewLoad) {
        guard isLatest(load) else { return }
        slots[load.operationKey]?.state?.progress.note(news)
        indicator?.update(fractionCompleted: slots[load.operationKey]?.state?.progress.fractionCompleted)
        tellState(load.operationKey)
        guard !load.options.contains(.avoidAutoSetImage) else { return }
        if let stale = news.staleResult { show(stale.image, .partial, load, stale) }
        guard let partial = news.partialImage, isLatest(load) else { return }
        show(partial, .partial, load, nil)
    }

    private func end(_ result: Result<LoadResult, ImageError>, _ load: ViewLoad) {
        let result = load.isCancelled ? .failure(.cancelled(.view)) : result
        slots[load.operationKey]?.end(load, result)
        if isLatest(load) { indicator?.stopAnimating() }
        var waits = false
        switch result {
        case .success(let found): waits = show(found, load)
        case .failure(let error): showInstead(error, load)
        }
        if isLatest(load) { tellState(load.operationKey) }
        if !waits { load.complete(result) }
    }

    /// Whether the load is to complete at the end of a transition.
    private func show(_ result: LoadResult, _ load: ViewLoad) -> Bool {
        guard !load.options.contains(.avoidAutoSetImage), slots[load.operationKey]?.mayShow(load) ?? false else {
            return false
        }
        let transition = result.usesTransition(load.options) ? transition : nil
        transition?.prepare?()
        let waits = load.options.contains(.waitTransition)
        show(result.image, .image, load, result, transition) { [weak self] in
            if self?.isLatest(load) ?? false { transition?.completion?() }
            if waits { load.complete(.success(result)) }
        }
        return waits
    }

    /// What stands for a picture that does not come.
    private func showInstead(_ error: ImageError, _ load: ViewLoad) {
        let placeholders = load.placeholders
        guard load.hasURL else {
            return show(placeholders.fallback ?? placeholders.placeholder, .error, load, showsNothing: true)
        }
        if !error.isCancelled, let instead = placeholders.error { return show(instead, .error, load) }
        if load.options.contains(.delayPlaceholder) { show(placeholders.placeholder, .placeholder, load) }
    }

    private func show(
        _ placeholder: ImagePlaceholder?, _ role: ImagePresentation.Role, _ load: ViewLoad, showsNothing: Bool = false
    ) {
        let image = placeholder?.image(from: load.cache)
        guard image != nil || showsNothing || role == .placeholder else { return }
        show(image, role, load, nil)
    }

    private func show(
        _ image: DecodedImage?, _ role: ImagePresentation.Role, _ load: ViewLoad, _ result: LoadResult?,
        _ transition: ImageTransition? = nil, completion: @escaping @MainActor () -> Void = {}
    ) {
        guard let target, slots[load.operationKey]?.mayShow(load) ?? false else { return completion() }
        slots[load.operationKey]?.shownID = load.id
        let presentation = ImagePresentation(
            role: role, operationKey: load.operationKey, data: result?.data, source: result?.source,
            transition: transition)
        target.display(image, as: presentation, completion: completion)
    }

    private func tellState(_ operationKey: String) {
        if let state = slots[operationKey]?.state { onStateChange?(state) }
    }
}
