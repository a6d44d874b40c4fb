import Foundation
import Testing
import WebImagePixels
import WebImageTesting

@testable import WebImageCore

@MainActor
@Suite("Views whose closures set and cancel from inside", .timeLimit(.minutes(10)))
struct ViewReentrancyTests {
    private let view = StubView()
    private let indicator = StubIndicator()

    init() { view.loads.indicator = indicator }

    @discardableResult
    private func set(
        _ url: URL?, _ recorder: ViewRecorder, _ options: LoadOptions = [],
        then: @escaping @MainActor @Sendable () -> Void = {}
    ) -> LoadOperation {
        view.loads.setImage(ImageRequest(url, options: options), progress: { recorder.report($0) }) {
            recorder.complete($0)
            then()
        }
    }

    @Test("A completion that sets the next picture of the view: that one is shown")
    func completionSets() async {
        let (first, second) = (view.script("a"), view.script("b"))
        let recorders = [ViewRecorder(), ViewRecorder()]
        var states: [String] = []
        view.loads.onStateChange = { state in
            if case .loaded = state.phase { states.append(state.url?.lastPathComponent ?? "") }
        }
        set(first.url, recorders[0]) { set(second.url, recorders[1]) }
        await recorders[1].wait()
        #expect(view.image === second.image && recorders.allSatisfy { $0.results.count == 1 })
        #expect(states == ["a.png", "b.png"] && !indicator.isAnimating)
    }

    @Test("A completion that sets a picture when it is told of the cancel gives way to the one that cancelled it")
    func retryingCompletion() async {
        let (old, retried, new) = (view.script("a", held: true), view.script("b"), view.script("c", held: true))
        let recorders = (0..<3).map { _ in ViewRecorder() }
        set(old.url, recorders[0]) { set(retried.url, recorders[1]) }
        await view.harness.loader.waitForRequest(for: old.url)
        set(new.url, recorders[2])
        #expect(recorders[0].error?.isCancelled == true && recorders[1].error?.isCancelled == true)
        #expect(view.loads.imageURL == new.url && indicator.isAnimating)
        await view.harness.loader.waitForRequest(for: new.url)
        view.harness.loader.finish(new.url, .success(new.bytes))
        await recorders[2].wait()
        #expect(view.image === new.image && !indicator.isAnimating)
        #expect(recorders.allSatisfy { $0.results.count == 1 })
    }

    @Test("A completion that sets again whenever it is cancelled does not go on for ever")
    func stubbornCompletion() async {
        let (stubborn, new) = (view.script("a", held: true), view.script("b"))
        var (count, isOver) = (0, false)
        @MainActor func retry(_ result: Result<LoadResult, ImageError>) {
            guard !isOver else { return }
            count += 1
            view.loads.setImage(ImageRequest(stubborn.url), completion: { retry($0) })
        }
        view.loads.setImage(ImageRequest(stubborn.url), completion: { retry($0) })
        let recorder = ViewRecorder()
        set(new.url, recorder)
        await recorder.wait()
        #expect(count > 0 && count < 10 && view.image === new.image)
        isOver = true
        view.harness.loader.finish(stubborn.url, .success(stubborn.bytes))
        view.harness.manager.cancelAll()
    }

    @Test("A view that cancels when it is given the placeholder: the load is cancelled, also one that memory has")
    func displayCancels() {
        let picture = view.script("a")
        view.harness.cache.storeInMemory(picture.image, for: CacheKey(picture.url.absoluteString))
        let recorder = ViewRecorder()
        view.onDisplay = { [view] in
            view.onDisplay = {}
            view.loads.cancelLatest()
        }
        set(picture.url, recorder)
        #expect(recorder.results.count == 1 && recorder.error?.isCancelled == true)
        #expect(view.roles == [.placeholder] && !indicator.isAnimating)
    }

    @Test("A view that sets another picture when it is given the placeholder: that one is shown, the first cancelled")
    func displaySets() async {
        let (first, second) = (view.script("a"), view.script("b"))
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.onDisplay = { [view] in
            view.onDisplay = {}
            set(second.url, recorders[1])
        }
        set(first.url, recorders[0])
        await recorders[1].wait()
        #expect(recorders[0].error?.isCancelled == true && recorders.allSatisfy { $0.results.count == 1 })
        #expect(view.image === second.image && view.loads.imageURL == second.url && !indicator.isAnimating)
    }

    @Test("A partial picture is shown as one, and not where the completion is to show it")
    func partial() async {
        let picture = view.script("a", held: true)
        let recorder = ViewRecorder()
        let operation = set(picture.url, recorder)
        await view.harness.loader.waitForRequest(for: picture.url)
        var news = LoadProgress(receivedByteCount: 1, expectedByteCount: 2)
        news.partialImage = picture.image
        operation.report(news)
        #expect(view.roles == [.placeholder, .partial] && view.image === picture.image)
        operation.cancel()
        let silent = set(picture.url, ViewRecorder(), .avoidAutoSetImage)
        silent.report(news)
        #expect(view.roles.last == .placeholder)
        silent.cancel()
    }
}
