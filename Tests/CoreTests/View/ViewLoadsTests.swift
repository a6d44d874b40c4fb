import Foundation
import Testing
import WebImageCore
import WebImagePixels
import WebImageTesting

@MainActor
@Suite("The loads of a view")
struct ViewLoadsTests {
    private let view = StubView()
    private let placeholder = DecodedImage(pixels: PixelBuffer(size: PixelSize(1, 1))!)

    private var placeholders: ViewPlaceholders { ViewPlaceholders(.image(placeholder)) }

    @Test("VW-01 a load: completed with picture and URL, the view shows it; the URL is known at once")
    func VW_01_load() async {
        let picture = view.script("a")
        let recorder = ViewRecorder()
        view.set(picture.url, recorder)
        #expect(view.loads.imageURL == picture.url)
        await recorder.wait()
        #expect(recorder.result?.image === picture.image && recorder.result?.url == picture.url)
        #expect(view.image === picture.image)
    }

    @Test("VW-02 queryDiskDataSync shows a picture on disk before the call returns")
    func VW_02_diskSync() {
        let picture = view.script("a")
        view.harness.cache.disk[CacheKey(picture.url.absoluteString)] = CachedData(data: picture.bytes)
        let recorder = ViewRecorder()
        view.set(picture.url, recorder, .queryDiskDataSync)
        #expect(view.image === picture.image && recorder.results.count == 1)
    }

    @Test("A picture in memory is shown before the call returns")
    func memory() {
        let picture = view.script("a")
        view.harness.cache.storeInMemory(picture.image, for: CacheKey(picture.url.absoluteString))
        let recorder = ViewRecorder()
        view.set(picture.url, recorder, [], placeholders)
        #expect(view.image === picture.image && recorder.result?.source == .memory)
        #expect(view.loads.operation(for: "StubView") == nil)
    }

    @Test("The one closure after a call is told the end")
    func trailingClosure() async {
        let picture = view.script("a")
        let ended = Gate()
        view.loads.setImage(ImageRequest(picture.url)) { result in
            #expect((try? result.get())?.image === picture.image)
            ended.open()
        }
        await ended.wait()
        #expect(view.image === picture.image)
    }

    @Test("VW-03 VW-05 VW-06 VW-07 VW-09 VW-10 each slot of a view loads and shows its own picture")
    func VW_03_slots() async {
        for key in ["highlighted", "button-normal", "button-highlighted", "button-background", "alternate"] {
            let picture = view.script(key)
            let recorder = ViewRecorder()
            view.set(picture.url, recorder) { $0.operationKey = key }
            await recorder.wait()
            #expect(view.showings.last?.presentation.operationKey == key && view.image === picture.image)
            #expect(view.loads.state(for: key)?.url == picture.url)
        }
        #expect(view.loads.latestOperationKey == "alternate")
    }

    @Test("VW-08 cancelling one slot's load removes it and leaves the others")
    func VW_08_cancelSlot() async {
        let first = view.script("a", held: true)
        let second = view.script("b", held: true)
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(first.url, recorders[0]) { $0.operationKey = "background" }
        view.set(second.url, recorders[1]) { $0.operationKey = "image" }
        #expect(view.loads.operation(for: "background") != nil)
        view.loads.cancel(operationKey: "background")
        #expect(recorders[0].error?.isCancelled == true && view.loads.operation(for: "background") == nil)
        #expect(view.loads.operation(for: "image") != nil && recorders[1].results.isEmpty)
        view.loads.cancel(operationKey: "image")
    }

    @Test("VW-11 the view is given the placeholder first, without data and source, later the picture")
    func VW_11_placeholder() async {
        let picture = view.script("a")
        let recorder = ViewRecorder()
        view.set(picture.url, recorder, [], placeholders)
        #expect(view.roles == [.placeholder] && view.image === placeholder)
        #expect(view.showings[0].presentation.data == nil && view.showings[0].presentation.source == nil)
        await recorder.wait()
        #expect(view.roles == [.placeholder, .image] && view.image === recorder.result?.image)
        #expect(view.showings[1].presentation.data == picture.bytes)
    }

    @Test("VW-12 cancelled with delayPlaceholder: the placeholder shows once, before the next load's showings")
    func VW_12_delayPlaceholder() async {
        let first = view.script("a", held: true)
        let second = view.script("b")
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(first.url, recorders[0], .delayPlaceholder, placeholders)
        #expect(view.showings.isEmpty)
        view.set(second.url, recorders[1], [], placeholders)
        #expect(recorders[0].error?.isCancelled == true)
        await recorders[1].wait()
        #expect(view.roles == [.placeholder, .placeholder, .image])
    }

    @Test("VW-13 cancelled without it: the placeholder of each load shows when that begins")
    func VW_13_placeholderAtOnce() async {
        let first = view.script("a", held: true)
        let second = view.script("b")
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(first.url, recorders[0], [], placeholders)
        #expect(view.roles == [.placeholder])
        view.set(second.url, recorders[1], [], placeholders)
        await recorders[1].wait()
        #expect(view.roles == [.placeholder, .placeholder, .image])
    }

    @Test("VW-14 a second load cancels the first")
    func VW_14_autoCancel() async {
        let first = view.script("a", held: true)
        let second = view.script("b")
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(first.url, recorders[0])
        view.set(second.url, recorders[1])
        await recorders[1].wait()
        #expect(recorders[0].error?.isCancelled == true && recorders[1].result != nil)
    }

    @Test("VW-15 with avoidAutoCancelImage it goes on, and its late picture is not shown")
    func VW_15_avoidAutoCancel() async {
        let first = view.script("a", held: true)
        let second = view.script("b")
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(first.url, recorders[0])
        await view.harness.loader.waitForRequest(for: first.url)
        view.set(second.url, recorders[1], .avoidAutoCancelImage)
        await recorders[1].wait()
        #expect(recorders[0].results.isEmpty)
        view.harness.loader.finish(first.url, .success(first.bytes))
        await recorders[0].wait()
        #expect(recorders[0].result?.image === first.image && view.image === second.image)
    }

    @Test("VW-16 VW-18 cancelLatest ends the latest load with 2002 and removes it")
    func VW_16_cancelLatest() {
        let recorder = ViewRecorder()
        view.set(view.script("a", held: true).url, recorder)
        #expect(view.loads.operation(for: "StubView") != nil)
        view.loads.cancelLatest()
        #expect(recorder.error?.code == .cancelled && recorder.error?.code.rawValue == 2002)
        #expect(view.loads.operation(for: "StubView") == nil)
        view.loads.cancelLatest()
        #expect(recorder.results.count == 1)
    }

    @Test("VW-19 the progress of a load is told, and ends at the whole")
    func VW_19_progress() async {
        let picture = view.script("a", held: true)
        let recorder = ViewRecorder()
        var fractions: [Double?] = []
        view.loads.onStateChange = { fractions.append($0.progress.fractionCompleted) }
        view.set(picture.url, recorder)
        #expect(view.loads.state?.progress.totalUnitCount == 0)
        await view.harness.loader.waitForRequest(for: picture.url)
        view.harness.loader.progress(picture.url, LoadProgress(receivedByteCount: 1, expectedByteCount: 4))
        while recorder.progress.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(view.loads.state?.progress.fractionCompleted == 0.25)
        view.harness.loader.finish(picture.url, .success(picture.bytes))
        await recorder.wait()
        #expect(view.loads.state?.progress.fractionCompleted == 1)
        #expect(fractions.first == .some(nil) && fractions.last == 1)
    }

    @Test("A picture that came without news of bytes counts one of one")
    func unknownProgress() async {
        let recorder = ViewRecorder()
        view.set(view.script("a").url, recorder)
        await recorder.wait()
        #expect(view.loads.state?.progress.completedUnitCount == ViewLoadProgress.unknownUnitCount)
        #expect(view.loads.state?.progress.totalUnitCount == ViewLoadProgress.unknownUnitCount)
    }

    @Test("VW-23 the operation key reaches the options processor, and the custom manager is used and does not")
    func VW_23_processor() async {
        var seen: [String?] = []
        var managers: [Bool] = []
        var configuration = ImageManager.Configuration()
        configuration.optionsProcessor = OptionsProcessor { _, _, context in
            MainActor.assumeIsolated {
                seen.append(context.operationKey)
                managers.append(context.customManager == nil)
            }
            return nil
        }
        let other = ManagerHarness(configuration: configuration)
        other.scriptNetwork()
        let recorder = ViewRecorder()
        view.set(other.url, recorder) { $0.customManager = other.manager }
        await recorder.wait()
        #expect(seen == ["StubView"] && managers == [true])
        #expect(view.image === other.image && view.harness.loader.requests.isEmpty)
    }

    @Test("VW-24 no URL: one error, the slot shows the fallback, what was under way is cancelled")
    func VW_24_noURL() {
        let recorders = [ViewRecorder(), ViewRecorder(), ViewRecorder()]
        let indicator = StubIndicator()
        view.loads.indicator = indicator
        view.set(view.script("a", held: true).url, recorders[0])
        view.set(nil, recorders[1], [], placeholders)
        #expect(recorders[0].error?.isCancelled == true && recorders[1].error?.code == .invalidURL)
        #expect(view.image === placeholder && view.roles.last == .error && !indicator.isAnimating)
        view.set(nil, recorders[2])
        #expect(view.image == nil && recorders[2].results.count == 1)
    }

    @Test("VW-25 VW-26 a URL made of a string, and a URL, load")
    func VW_25_strings() async throws {
        let picture = view.script("a")
        for url in [URL(string: "https://h/a.png"), picture.url] {
            let recorder = ViewRecorder()
            view.set(url, recorder, .fromLoaderOnly)
            await recorder.wait()
            #expect(recorder.result != nil)
        }
    }

    @Test("avoidAutoSetImage leaves the picture to the completion")
    func avoidAutoSetImage() async {
        let recorder = ViewRecorder()
        view.set(view.script("a").url, recorder, .avoidAutoSetImage, placeholders)
        await recorder.wait()
        #expect(recorder.result != nil && view.roles == [.placeholder])
    }

    @Test("An error shows the error's picture; without one the placeholder stays")
    func errorPicture() async {
        let broken = URL(string: "https://h/broken.png")!
        view.harness.cache.scriptAllMissing()
        let failure = ImageError(.badImageData, .load, "no")
        view.harness.loader.script(broken, .failure(failure), .failure(failure))
        let sad = DecodedImage(pixels: PixelBuffer(size: PixelSize(2, 2))!)
        let recorders = [ViewRecorder(), ViewRecorder()]
        view.set(broken, recorders[0], [], ViewPlaceholders(.image(placeholder), error: .image(sad)))
        await recorders[0].wait()
        #expect(view.image === sad && view.roles == [.placeholder, .error])
        view.set(broken, recorders[1], .retryFailed, placeholders)
        await recorders[1].wait()
        #expect(view.image === placeholder)
    }

    @Test("B19 once the newer picture was set the older is never set again, whichever comes first")
    func B19_lastWins() async {
        for round in 0..<50 {
            let slow = view.script("slow\(round)", held: true)
            let fast = view.script("fast\(round)")
            let recorders = [ViewRecorder(), ViewRecorder()]
            view.set(slow.url, recorders[0])
            if round % 2 == 0 { await view.harness.loader.waitForRequest(for: slow.url) }
            view.set(fast.url, recorders[1])
            view.harness.loader.finish(slow.url, .success(slow.bytes))
            await recorders[1].wait()
            await recorders[0].wait()
            #expect(view.image === fast.image && recorders[0].error?.isCancelled == true)
            #expect(!view.showings.contains { $0.image === slow.image })
        }
    }

    @Test("B19 a view that goes during a load is let go of, and its load is cancelled and told once")
    func B19_destroyedView() async {
        let recorder = ViewRecorder()
        weak var gone: StubView?
        let harness: ManagerHarness
        let picture: URL
        do {
            let view = StubView()
            gone = view
            harness = view.harness
            picture = view.script("a", held: true).url
            view.loads.setImage(ImageRequest(picture), completion: { recorder.complete($0) })
            await harness.loader.waitForRequest(for: picture)
        }
        await recorder.wait()
        #expect(gone == nil && recorder.results.count == 1 && recorder.error?.isCancelled == true)
        #expect(harness.loader.cancelCount(of: picture) == 1)
    }
}
