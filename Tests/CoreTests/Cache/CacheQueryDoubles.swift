import Foundation
import Synchronization
import WebImagePixels

@testable import WebImageCore

/// Two frames that are one picture.
struct OwnFrames: FrameSource {
    let image: DecodedImage
    var frameCount: Int { 2 }
    var loopCount: Int { 0 }
    var durations: [Duration] { [.milliseconds(100), .milliseconds(100)] }
    func frame(at index: Int) throws(ImageError) -> DecodedImage { image }
}

/// A playable form that only hands frames on.
final class OwnAnimation: AnimatedImageRepresentation {
    private let frames: any FrameSource

    init(frames: any FrameSource, data: Data?) {
        self.frames = frames
    }

    func preloadAllFrames() throws(ImageError) {}
    var memoryCost: Int { 0 }
    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }
    var durations: [Duration] { frames.durations }
    func frame(at index: Int) throws(ImageError) -> DecodedImage { try frames.frame(at: index) }
}

/// Takes any bytes for two frames that are one picture.
struct FilmCoder: AnimatedImageCoder {
    let image: DecodedImage
    func canDecode(_ data: Data) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { ImageProbe(format: .gif, size: image.pixelSize) }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { image }
    func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource { OwnFrames(image: image) }
}

/// Writes animations as a text that says what they were.
struct FramesCoder: AnimatedImageCoder {
    func canDecode(_ data: Data) -> Bool { false }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { throw ImageError(.unknownFormat, .decode, "none") }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { throw ImageError(.unknownFormat, .decode, "none") }
    func frames(of data: Data, options: DecodeOptions) throws(ImageError) -> any FrameSource {
        throw ImageError(.unknownFormat, .decode, "none")
    }
    func canEncodeAnimation(to format: ImageFormat) -> Bool { format == .gif || format == .webP }
    func encode(
        _ frames: any FrameSource, to format: ImageFormat, options: EncodeOptions
    ) throws(ImageError) -> Data { Data("\(frames.frameCount) frames of \(format)".utf8) }
}

/// Notes with which quality it writes, and takes any bytes for one picture.
final class NotingCoder: ImageCoder {
    let image: DecodedImage
    let qualities = Mutex<[Double]>([])

    init(image: DecodedImage) { self.image = image }

    func canDecode(_ data: Data) -> Bool { true }
    func canEncode(to format: ImageFormat) -> Bool { true }
    func probe(_ data: Data) throws(ImageError) -> ImageProbe { ImageProbe(format: .png, size: image.pixelSize) }
    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage { image }
    func encode(
        _ image: DecodedImage, to format: ImageFormat, options: EncodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> Data {
        qualities.withLock { $0.append(options.quality) }
        return Data([1])
    }
}

/// A memory layer that keeps everything.
final class OwnMemory: MemoryCaching {
    private let images = Mutex<[CacheKey: DecodedImage]>([:])

    func image(for key: CacheKey) -> DecodedImage? { images.withLock { $0[key] } }
    func contains(_ key: CacheKey) -> Bool { images.withLock { $0[key] != nil } }
    func store(_ image: DecodedImage, for key: CacheKey, cost: Int?) { images.withLock { $0[key] = image } }
    func remove(_ key: CacheKey) { images.withLock { $0[key] = nil } }
    func removeAll() { images.withLock { $0 = [:] } }
    var totalCost: Int { 0 }
    var count: Int { images.withLock { $0.count } }
    func apply(_ configuration: ImageCacheConfiguration) {}
}

/// A disk layer on which nothing can be stored.
final class BrokenDisk: DiskCaching {
    let folder: String
    private let settings: Mutex<ImageCacheConfiguration>

    init(_ folder: String, _ configuration: ImageCacheConfiguration) {
        self.folder = folder
        settings = Mutex(configuration)
    }

    var configuration: ImageCacheConfiguration {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    func data(for key: CacheKey) throws(ImageError) -> CachedData? { nil }
    func metadata(for key: CacheKey) throws(ImageError) -> DiskMetadata? { nil }
    func contains(_ key: CacheKey) -> Bool { false }
    func store(_ data: Data, for key: CacheKey, metadata: DiskMetadata) throws(ImageError) {
        throw ImageError(.storeFailed, .store, "no folder can be made")
    }
    func setMetadata(_ metadata: DiskMetadata, for key: CacheKey) throws(ImageError) {}
    func remove(_ key: CacheKey) throws(ImageError) {}
    func removeAll() throws(ImageError) {}
    func removeExpired() {}
    var totalCount: Int { 0 }
    var totalSize: Int { 0 }
    func path(for key: CacheKey) -> String { folder + "/" + key.text }
}
