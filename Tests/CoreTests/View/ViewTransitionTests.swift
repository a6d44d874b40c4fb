import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@MainActor
@Suite("Transitions and the indicator of a view")
struct ViewTransitionTests {
    private let view = StubView()

    @Test("VW-17 a new load during a transition: the old one's completion never runs, the new load completes")
    func VW_17_supersededTransition() async {
        var transition = ImageTransition.fade()
        var ends: [String] = []
        transition.completion = { ends.append("transition") }
        view.loads.transition = transition
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(view.script("a").url, recorders[0])
        await recorders[0].wait()
        #expect(view.pendingEnds.count == 1)
        view.set(view.script("b").url, recorders[1])
        view.pendingEnds[0]()
        #expect(ends.isEmpty)
        await recorders[1].wait()
        view.pendingEnds[1]()
        #expect(ends == ["transition"] && recorders[1].result != nil)
    }

    @Test("VW-20 from memory there is no transition unless forced; from the network there is one")
    func VW_20_forcedTransition() async {
        view.loads.transition = .fade()
        let picture = view.script("a")
        let recorders = [ViewRecorder(), ViewRecorder(), ViewRecorder()]
        view.set(picture.url, recorders[0])
        await recorders[0].wait()
        #expect(view.showings.last?.presentation.transition?.effect == .fade)
        view.set(picture.url, recorders[1])
        #expect(recorders[1].result?.source == .memory)
        #expect(view.showings.last?.presentation.transition == nil)
        view.set(picture.url, recorders[2], .forceTransition)
        #expect(view.showings.last?.presentation.transition != nil)
    }

    @Test("VW-21 from disk there is a transition too, but not where the thread waited for the disk")
    func VW_21_diskTransition() async {
        view.loads.transition = .fade()
        let pictures = [view.script("a"), view.script("b")]
        for picture in pictures {
            view.harness.cache.disk[CacheKey(picture.url.absoluteString)] = CachedData(data: picture.bytes)
        }
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(pictures[0].url, recorders[0], .fromCacheOnly)
        await recorders[0].wait()
        #expect(recorders[0].result?.source == .disk && view.showings.last?.presentation.transition != nil)
        view.set(pictures[1].url, recorders[1], [.fromCacheOnly, .queryDiskDataSync])
        #expect(recorders[1].result?.source == .disk && view.showings.last?.presentation.transition == nil)
    }

    @Test("waitTransition completes at the end of the transition, and without it before")
    func waitTransition() async {
        view.loads.transition = .fade()
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(view.script("a").url, recorders[0], .waitTransition)
        while view.pendingEnds.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(recorders[0].results.isEmpty)
        view.pendingEnds[0]()
        #expect(recorders[0].result != nil)
        view.set(view.script("b").url, recorders[1])
        await recorders[1].wait()
        #expect(view.pendingEnds.count == 2 && recorders[1].result != nil)
    }

    @Test("VW-22 the indicator runs while a load does, and shows received of expected")
    func VW_22_indicator() async {
        let indicator = StubIndicator()
        view.loads.indicator = indicator
        let picture = view.script("a", held: true)
        let recorder = ViewRecorder()
        view.set(picture.url, recorder)
        #expect(indicator.isAnimating)
        await view.harness.loader.waitForRequest(for: picture.url)
        view.harness.loader.progress(picture.url, LoadProgress(receivedByteCount: 3, expectedByteCount: 4))
        while recorder.progress.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(indicator.fractions.last == 0.75)
        view.harness.loader.finish(picture.url, .success(picture.bytes))
        await recorder.wait()
        #expect(!indicator.isAnimating)
    }
}
