import Foundation
import WebImage
import WebImageDrawing

// The code of README.md and of the article Downloading.md, so that it compiles. `Scripts/check` compares them.

private func show(_ image: DecodedImage) {}

func readmeFirstScreen() async throws {
    let url = URL(string: "https://example.org/photo.jpg")!

    let picture = try await ImageManager.shared.image(from: url)
    print(picture.image.pixelSize, "from", picture.source)  // 4000×3000 from network

    let thumbnail = try await ImageManager.shared.image(
        from: url, options: .retryFailed, context: .init(thumbnailPixelSize: .init(400, 400)))
    print(thumbnail.image.pixelSize, "from", thumbnail.source)  // 400×300 from disk
}

func readmeProgram(url: URL, data: Data) async throws {
    // View code: closures, a handle to cancel, live priority. Calls back on the main queue.
    let operation = ImageManager.shared.load(ImageRequest(url), progress: { print($0.receivedByteCount) }) { result in
        switch result {
        case .success(let picture): show(picture.image)
        case .failure(let error): print(error)  // load: the server answered 404; check the URL (2001)
        }
    }
    operation.priority = .high
    operation.cancel()

    // A stream of events, ending with exactly one terminal event.
    for await event in ImageManager.shared.events(for: ImageRequest(url)) { print(event) }

    // A server: bytes alone, no manager.
    let probe = try CodersManager.shared.probe(data)  // format, size, frames, orientation: from the header
    let small = try CodersManager.shared.decode(data, options: .init(thumbnailPixelSize: .init(200, 200)))
    let webP = try CodersManager.shared.encode(small, to: .webP, options: .init(quality: 0.8))
    print(probe, webP.count)
}

func readmeDrawing(picture: DecodedImage) throws {
    let badge = try ImageRenderer(size: ImageSize(96, 96), format: .init(scale: 2)).image { context in
        context.clip(to: Path(ellipseIn: context.bounds))
        context.draw(picture, in: context.bounds)
        context.fill(Path(ImageRect(x: 0, y: 68, width: 96, height: 28)), with: .color(PixelColor(0, 0, 0, 160)))
        context.drawText("NEW", at: ImagePoint(30, 71), style: TextStyle(size: 16, weight: .bold, color: .white))
    }
    let signed: any ImageTransformer = .watermark(text: "© Jane Doe", style: TextStyle(size: 14, color: .white))
    show(try signed.apply(to: badge))
}

func downloadingForStrangers(url: URL) async throws {
    var configuration = DownloaderConfiguration()
    configuration.addressPolicy = .publicInternetOnly
    configuration.allowedSchemes = ["https"]
    configuration.allowedPorts = [443]
    configuration.maxBodyByteCount = 10_000_000
    configuration.maxDownloadDuration = 20
    let downloader = ImageDownloader(configuration: configuration)

    let manager = ImageManager(loader: downloader)
    do {
        let picture = try await manager.image(from: url)
        show(picture.image)
    } catch {
        print(error)  // load: a connection to 169.254.169.254 is not allowed; …
    }
}

func downloadingBySettings(url: URL) async throws {
    var configuration = DownloaderConfiguration()
    configuration.maxConcurrentDownloads = 12
    configuration.executionOrder = .lastInFirstOut
    configuration.observer = { event in print(event.kind) }
    let downloader = ImageDownloader(configuration: configuration)
    downloader.setValue("MyReader/2.1", forHTTPHeaderField: "User-Agent")

    let token = downloader.download(ImageRequest(url)) { result in
        if case .success(let loaded) = result { print(loaded.data.count, "bytes") }
    }
    token.priority = .high
    token.cancel()
}
