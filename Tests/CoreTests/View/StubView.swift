import Foundation
import WebImageCore
import WebImagePixels
import WebImageTesting

/// A view that notes what it is given, over a manager of fakes.
@MainActor
final class StubView: ImageDisplaying {
    struct Showing {
        let image: DecodedImage?
        let presentation: ImagePresentation
    }

    let harness = ManagerHarness()
    private(set) var showings: [Showing] = []
    /// Ends of transitions that the test is to call.
    private(set) var pendingEnds: [@MainActor () -> Void] = []
    private(set) lazy var loads = ViewLoads(target: self, manager: harness.manager)

    /// Called when the view was given a picture.
    var onDisplay: @MainActor () -> Void = {}

    var image: DecodedImage? { showings.last?.image }
    var roles: [ImagePresentation.Role] { showings.map(\.presentation.role) }

    func display(
        _ image: DecodedImage?, as presentation: ImagePresentation, completion: @escaping @MainActor () -> Void
    ) {
        showings.append(Showing(image: image, presentation: presentation))
        if presentation.transition == nil { completion() } else { pendingEnds.append(completion) }
        onDisplay()
    }

    /// A URL whose bytes decode to a picture of its own.
    func script(_ name: String, held: Bool = false) -> (url: URL, bytes: Data, image: DecodedImage) {
        let url = URL(string: "https://h/\(name).png")!
        let bytes = Data(name.utf8)
        let image = DecodedImage(pixels: PixelBuffer(size: PixelSize(4, 4))!, attributes: .init(format: .png))
        harness.cache.scriptAllMissing()
        harness.coder.script(bytes, .success(image))
        harness.loader.script(url, held ? .held : .data(bytes))
        return (url, bytes, image)
    }
}

/// What a view's load was told.
@MainActor
final class ViewRecorder {
    private(set) var results: [Result<LoadResult, ImageError>] = []
    private(set) var progress: [LoadProgress] = []
    private let ended = Gate()

    var result: LoadResult? { try? results.first?.get() }
    var error: ImageError? {
        guard case .failure(let error) = results.first else { return nil }
        return error
    }

    func complete(_ result: Result<LoadResult, ImageError>) {
        results.append(result)
        ended.open()
    }

    func report(_ news: LoadProgress) {
        progress.append(news)
    }

    func wait() async { await ended.wait() }
}

extension StubView {
    /// Loads for the view, as `setImage` does.
    @discardableResult
    func set(
        _ url: URL?, _ recorder: ViewRecorder, _ options: LoadOptions = [], _ placeholders: ViewPlaceholders? = nil,
        _ change: (inout LoadContext) -> Void = { _ in }
    ) -> LoadOperation {
        var request = ImageRequest(url, options: options)
        change(&request.context)
        return loads.setImage(
            request, placeholders: placeholders ?? ViewPlaceholders(), progress: { recorder.report($0) },
            completion: { recorder.complete($0) })
    }
}

@MainActor
final class StubIndicator: ImageIndicator {
    private(set) var isAnimating = false
    private(set) var fractions: [Double?] = []

    func startAnimating() { isAnimating = true }
    func stopAnimating() { isAnimating = false }
    func update(fractionCompleted: Double?) { fractions.append(fractionCompleted) }
}
