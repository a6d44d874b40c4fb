import Foundation
import WebImage

// The code of the article Views.md, so that it compiles. `Scripts/check` compares them.

private func draw(_ image: DecodedImage?) {}
private func spin(_ spins: Bool) {}

@MainActor
final class PictureView: ImageDisplaying {
    private(set) lazy var loads = ViewLoads(target: self)

    func display(
        _ image: DecodedImage?, as presentation: ImagePresentation, completion: @escaping @MainActor () -> Void
    ) {
        draw(image)  // `nil` shows nothing
        completion()  // shown as it is to stay; a view with transitions calls it at the end of one
    }
}

@MainActor
func viewPicture(view: PictureView, url: URL, hash: String, brokenPicture: DecodedImage) {
    let placeholders = ViewPlaceholders(.blurHash(hash), error: .image(brokenPicture))
    view.loads.setImage(ImageRequest(url), placeholders: placeholders) { result in
        if case .failure(let error) = result, !error.isCancelled { print(error) }
    }
}

@MainActor
func viewReuse(view: PictureView, nextURL: URL, placeholders: ViewPlaceholders) {
    view.loads.setImage(ImageRequest(nextURL), placeholders: placeholders)
    view.loads.setImage(ImageRequest(nil))  // no URL: shows the fallback, the placeholder, or nothing
    view.loads.cancelLatest()  // scrolled away
}

@MainActor
func viewSlots(view: PictureView, pressedURL: URL) {
    var pressed = ImageRequest(pressedURL)
    pressed.context.operationKey = "pressed"  // the view finds it in `presentation.operationKey`
    view.loads.setImage(pressed)
    view.loads.cancel(operationKey: "pressed")
}

@MainActor
final class Spinner: ImageIndicator {
    func startAnimating() { spin(true) }
    func stopAnimating() { spin(false) }
    func update(fractionCompleted: Double?) { print(fractionCompleted ?? 0) }
}

@MainActor
func viewManners(view: PictureView, spinner: Spinner) {
    view.loads.indicator = spinner
    view.loads.transition = .fade(duration: .milliseconds(200))
    view.loads.onStateChange = { state in
        switch state.phase {
        case .loading: print(state.progress.fractionCompleted ?? 0)
        case .loaded(let source): print("from", source)
        case .failed(let error): print(error)
        case .cancelled: break
        }
    }
}
