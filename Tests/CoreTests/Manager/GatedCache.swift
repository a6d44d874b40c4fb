import Foundation
import Synchronization
import WebImageCore
import WebImageTesting

/// An empty `FakeCache` that looks for one key on disk, or writes one, only once its gate is open, and notes what is
/// written.
final class GatedCache: ImageCaching {
    let inner = FakeCache()
    let gate = Gate()
    private let held: CacheKey?
    private let heldWrite: CacheKey?
    private let written = Mutex<[CacheKey]>([])

    init(holding key: CacheKey? = nil, holdingWritesOf writtenKey: CacheKey? = nil) {
        held = key
        heldWrite = writtenKey
        inner.scriptAllMissing()
    }

    var writes: [CacheKey] { written.withLock { $0 } }

    func data(for key: CacheKey, completion: @escaping @Sendable (CachedData?) -> Void) {
        guard key == held else { return inner.data(for: key, completion: completion) }
        Task { [inner, gate] in
            await gate.wait()
            inner.data(for: key, completion: completion)
        }
    }

    func storeData(
        _ data: Data, for key: CacheKey, metadata: DiskMetadata,
        completion: @escaping @Sendable (ImageError?) -> Void
    ) {
        written.withLock { $0.append(key) }
        guard key == heldWrite else {
            return inner.storeData(data, for: key, metadata: metadata, completion: completion)
        }
        Task { [inner, gate] in
            await gate.wait()
            inner.storeData(data, for: key, metadata: metadata, completion: completion)
        }
    }

    func imageFromMemory(for key: CacheKey) -> DecodedImage? {
        inner.imageFromMemory(for: key)
    }

    func storeInMemory(_ image: DecodedImage, for key: CacheKey) {
        inner.storeInMemory(image, for: key)
    }

    func remove(_ key: CacheKey, from type: CacheType, completion: @escaping @Sendable () -> Void) {
        inner.remove(key, from: type, completion: completion)
    }

    func contains(_ key: CacheKey, in type: CacheType, completion: @escaping @Sendable (CacheType) -> Void) {
        inner.contains(key, in: type, completion: completion)
    }

    func clear(_ type: CacheType, completion: @escaping @Sendable () -> Void) {
        inner.clear(type, completion: completion)
    }
}
