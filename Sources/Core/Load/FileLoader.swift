public import WebImageFoundation

/// Reads `file:` URLs, without the network and without keeping a second copy in the disk cache.
public final class FileLoader: ImageLoader {
    private let maxByteCount: Int
    /// A disk gains little from more at once, and each reading holds a thread and a whole file in memory.
    private let queue = StageQueue(.load, limit: 4)
    private let sharing = SharedWork<Source, LoadedData>(stage: .load)

    private struct Source: Hashable {
        var url: URL
        var decryptor: Decryptor?
    }

    /// - Parameter maxByteCount: The largest file that is read, in bytes. Default 268,435,456 (256 MiB).
    public init(maxByteCount: Int = 1 << 28) {
        self.maxByteCount = maxByteCount
    }

    /// Whether the scheme is `file`.
    public func canLoad(_ url: URL) -> Bool {
        url.isFileURL
    }

    /// Reads the file on a queue of its own, which reads four at once and the highest priority first; calls back there,
    /// or on the thread that cancels.
    public func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        guard let url = request.url, url.isFileURL else {
            completion(.failure(.noLoader(for: request.url)))
            return CurrentOperation()
        }
        let source = Source(url: url, decryptor: request.context.decryptor)
        return sharing.join(
            source, priority: request.options.priority, progress: progress, completion: completion
        ) { reporter in
            let operation = CurrentOperation(priority: request.options.priority)
            queue.run(for: operation, stage: .load) { [maxByteCount] in
                let read = Self.read(url, maxByteCount)
                guard let decryptor = source.decryptor, case .success(let loaded) = read else { return read }
                return decryptor.decrypted(loaded)
            } completion: { result in
                reporter.finish(result)
            }
            return operation
        }
    }

    /// A file that cannot be read now may be there the next time.
    public func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool {
        false
    }

    private static func read(_ url: URL, _ maxByteCount: Int) -> Result<LoadedData, ImageError> {
        // Only what is read as bytes is asked of the path: the host of a file URL is of no use here.
        let path = url.path(percentEncoded: false)
        do throws(SystemError) {
            guard let data = try FileSystem.readRegularFile(path, maxByteCount: maxByteCount) else {
                return .failure(
                    ImageError(
                        .limitExceeded, .load,
                        "\(path) is larger than \(maxByteCount) bytes; raise FileLoader's maxByteCount"))
            }
            guard !data.isEmpty else {
                return .failure(ImageError(.badImageData, .load, "\(path) is empty"))
            }
            return .success(LoadedData(data: data))
        } catch {
            return .failure(ImageError(.fileNotReadable, .load, "\(path) cannot be read: \(error)"))
        }
    }
}
