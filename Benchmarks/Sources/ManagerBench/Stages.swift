import Foundation
import WebImage

/// A cache that has nothing and forgets everything at once, on the caller's thread.
final class EmptyCache: ImageCaching {
    func imageFromMemory(for key: CacheKey) -> DecodedImage? { nil }
    func storeInMemory(_ image: DecodedImage, for key: CacheKey) {}
    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) { completion(nil) }
    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata, completion: @escaping @Sendable (ImageError?) -> Void
    ) { completion(nil) }
    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) { completion() }
    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        completion(.none)
    }
    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) { completion() }
}

/// A loader that has the bytes at once, or never.
final class InstantLoader: ImageLoader {
    private let answer: LoadedData?
    private let load = Idle()

    init(_ data: Data?) { answer = data.map { LoadedData(data: $0) } }

    func canLoad(_ url: URL) -> Bool { true }
    func load(
        _ request: ImageRequest, progress: @escaping @Sendable (LoadProgress) -> Void,
        completion: @escaping @Sendable (Result<LoadedData, ImageError>) -> Void
    ) -> any ImageOperation {
        if let answer { completion(.success(answer)) }
        return load
    }
    func shouldBlockFailedURL(_ url: URL, error: ImageError) -> Bool { false }

    private final class Idle: ImageOperation {
        var priority: LoadPriority {
            get { .normal }
            set {}
        }
        func cancel() {}
    }
}

/// A coder for which every file is one and the same picture.
final class InstantCoder: ImageCoder {
    private let image: DecodedImage

    init(_ image: DecodedImage) { self.image = image }

    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { ImageProbe(format: .png, size: image.pixelSize) }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { image }
    func canEncode(to format: ImageFormat) -> Bool { false }
    func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data { Data() }
}
