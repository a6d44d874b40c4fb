import Foundation
import WebImage

// The code of the article WebImage.md, so that it compiles. `Scripts/check` compares them.

func catalogueFirstScreen() async throws {
    let picture = try await ImageManager.shared.image(from: URL(string: "https://example.org/a.jpg")!)
    print(picture)
}
