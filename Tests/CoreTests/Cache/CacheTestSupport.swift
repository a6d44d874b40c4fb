import Foundation
import Synchronization
import WebImagePixels

@testable import WebImageCore

/// A folder of one test, removed when the test is over.
final class CacheTestFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "webimage-cache-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    /// All names below the folder, hidden ones too.
    func names(_ subfolder: String = "") -> [String] {
        let folder = subfolder.isEmpty ? path : path + "/" + subfolder
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}

/// A date that stands still until it is moved.
final class CacheTestWallClock: WallClock {
    private let time: Mutex<WallTime>

    /// Now, so that what the system dates by itself lies near.
    init() {
        time = Mutex(SystemWallClock().now)
    }

    var now: WallTime { time.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0.subtracting(.zero - duration) }
    }
}

/// A picture of one colour, four bytes a pixel.
func cacheTestImage(_ width: Int = 4, _ height: Int = 4, shade: UInt8 = 0) -> DecodedImage {
    var pixels = PixelBuffer(size: PixelSize(width, height))!
    pixels.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = shade }
    }
    return DecodedImage(pixels: pixels)
}

/// Runs the closure on as many threads of their own and returns when all are done.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            work(index)
            group.leave()
        }
        thread.start()
    }
    group.wait()
}

extension DiskCache {
    /// A cache right in a test's folder.
    convenience init(
        _ folder: CacheTestFolder, placement: MetadataPlacement = .automatic,
        configuration: ImageCacheConfiguration = ImageCacheConfiguration(), wallClock: any WallClock = .system
    ) {
        self.init(
            folder: folder.path + "/entries", configuration: configuration, wallClock: wallClock,
            placement: placement)
    }
}
