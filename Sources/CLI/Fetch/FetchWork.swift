import WebImage
import WebImageFoundation

/// The way of one picture.
struct FetchWork: Sendable {
    private let settings: FetchSettings
    private let console: Console
    private let manager: ImageManager
    private let folder: OutputFolder?

    init(_ settings: FetchSettings, _ console: Console, _ manager: ImageManager, _ folder: OutputFolder?) {
        self.settings = settings
        self.console = console
        self.manager = manager
        self.folder = folder
    }

    /// - Parameter number: The picture's place in the list.
    func fetch(_ source: PictureSource, _ number: Int) async -> FetchOutcome {
        var outcome = FetchOutcome(source)
        let start = ContinuousClock.now
        do throws(ImageError) {
            _ = try source.requiredURL()
            settings.isDecoding
                ? try await fetchPicture(number, &outcome) : try await fetchBytes(number, &outcome)
        } catch {
            outcome.fail(error)
        }
        outcome.duration = start.duration(to: .now)
        let isFailure = !outcome.failures.isEmpty
        console.update { $0.noteEnd(of: number, isFailure: isFailure) }
        return outcome
    }

    private func fetchBytes(_ number: Int, _ outcome: inout FetchOutcome) async throws(ImageError) {
        let request = settings.originalRequest(outcome.source)
        let result = try await manager.data(for: request, progress: progress(number, outcome.source))
        outcome.origin = outcome.source.origin(result.source)
        outcome.byteCount = result.data.count
        if let error = result.storeError { outcome.fail(error) }
        try await write(number, &outcome) { .success(result.data) }
    }

    private func fetchPicture(_ number: Int, _ outcome: inout FetchOutcome) async throws(ImageError) {
        let (result, received) = try await picture(number, outcome.source)
        outcome.origin = outcome.source.origin(result.source)
        outcome.size = result.image.pixelSize
        if let error = result.storeError { outcome.fail(error) }
        let original = try await originalBytes(result, outcome.source)
        outcome.byteCount = original?.count ?? received ?? storedByteCount(outcome.source)
        let format = outputFormat(result.image, original)
        try await write(number, &outcome) {
            Result { () throws(ImageError) in
                if let original, format == nil { return original }
                let target = format ?? .png
                return try CodersManager.shared.encode(result.image, to: target, options: EncodeOptions())
            }
        }
    }

    /// What to encode a picture as; `nil` where the original's bytes will do.
    private func outputFormat(_ image: DecodedImage, _ original: Data?) -> ImageFormat? {
        if let original, !settings.isVariant {
            let isAsAsked = settings.format == nil || settings.format == FormatSniffer.format(of: original)
            return isAsAsked ? nil : settings.format
        }
        return settings.format ?? image.preferredFormat(for: CodersManager.shared)
    }

    /// The file as it was, where it is to be written: a picture that was in memory comes without.
    private func originalBytes(_ result: LoadResult, _ source: PictureSource) async throws(ImageError) -> Data? {
        if settings.isVariant { return nil }
        if let data = result.data { return data }
        let isWanted = folder != nil
        return isWanted ? try await manager.data(for: settings.originalRequest(source)).data : nil
    }

    /// Of the file that the cache has, or of the local file.
    private func storedByteCount(_ source: PictureSource) -> Int? {
        guard let url = source.url else { return nil }
        if url.isFileURL { return FileSystem.size(of: url.path(percentEncoded: false)) }
        let key = manager.cacheKey(for: settings.originalRequest(source))
        return key.flatMap { FileSystem.size(of: ImageCache.shared.disk.path(for: $0)) }
    }

    /// The picture, and how many bytes came for it where it was downloaded.
    private func picture(
        _ number: Int, _ source: PictureSource
    ) async throws(ImageError) -> (result: LoadResult, received: Int?) {
        let report = progress(number, source)
        var received: Int?
        for await event in manager.events(for: settings.request(source)) {
            switch event {
            case .progress(let news):
                received = news.receivedByteCount
                report(news)
            case .partial, .stale: break
            case .finished(let result): return (result, received)
            case .failed(let error): throw error
            case .cancelled: throw .cancelled(.load)
            }
        }
        // The stream of a cancelled task ends without an event.
        throw .cancelled(.load)
    }

    private func progress(_ number: Int, _ source: PictureSource) -> LoadOperation.Progress {
        { news in
            console.update { $0.note(news, of: number, name: PictureSource.displayName(source.text)) }
        }
    }

    private func write(
        _ number: Int, _ outcome: inout FetchOutcome, _ make: @escaping @Sendable () -> Result<Data, ImageError>
    ) async throws(ImageError) {
        guard let folder else { return }
        outcome.output = try await folder.write(picture: number, make)
    }
}
