import Foundation
import Testing
import WebImage
import WebImageTesting

@MainActor
@Suite("Views and refreshCached", .timeLimit(.minutes(20)))
struct StaleViewTests {
    private final class View: ImageDisplaying {
        private(set) var showings: [(role: ImagePresentation.Role, image: DecodedImage?)] = []

        func display(
            _ image: DecodedImage?, as presentation: ImagePresentation, completion: @escaping @MainActor () -> Void
        ) {
            showings.append((presentation.role, image))
            completion()
        }
    }

    @Test("The cached picture shows before the call returns, the server's when it is there")
    func cachedFirst() async throws {
        let harness = try RealHarness()
        let gate = Gate()
        harness.server.script(
            "/a.png", .picture(TestPictures.red).adding("ETag", "\"1\""),
            .picture(TestPictures.green).adding("ETag", "\"2\"").held(by: gate, after: 9))
        _ = try await harness.load("/a.png")
        let view = View()
        let loads = ViewLoads(target: view, manager: harness.manager)
        let ended = Gate()
        loads.setImage(harness.request("/a.png", [.refreshCached]), completion: { _ in ended.open() })
        #expect(view.showings.map(\.role) == [.placeholder, .partial])
        #expect(view.showings.last?.image?.pixels.color(x: 0, y: 0) == red)
        gate.open()
        await ended.wait()
        #expect(view.showings.last?.role == .image)
        #expect(view.showings.last?.image?.pixels.color(x: 0, y: 0) == PixelColor(0, 255, 0))
    }
}
