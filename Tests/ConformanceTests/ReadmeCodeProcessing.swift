import Foundation
import WebImage

// The code of the article Processing.md, so that it compiles. `Scripts/check` compares them.

protocol PictureSource: Sendable {
    func firstBytes(_ count: Int) async throws -> Data
}

func processingUploads(upload: Data) throws {
    let probe = try CodersManager.shared.probe(upload)
    print(probe.format, probe.size, probe.frameCount, probe.hasAlpha)  // the size stands upright
    guard [.jpeg, .png, .webP].contains(probe.format) else {
        throw ImageError(.unknownFormat, .decode, "\(probe.format) is not taken; send a JPEG, PNG or WebP")
    }
}

func pictureSize(of source: some PictureSource) async throws -> PixelSize? {
    var wanted = 64
    while true {
        let bytes = try await source.firstBytes(wanted)
        switch try CodersManager.shared.probe(prefix: bytes, isComplete: bytes.count < wanted) {
        case .found(let probe): return probe.size
        case .needsBytes(let count): wanted = count
        case .unknown: return nil
        }
    }
}

func processingWithinLimits(upload: Data) throws {
    var options = DecodeOptions(thumbnailPixelSize: ImageSize(800, 800))
    options.limits.maxPixelCount = 50_000_000  // what the file may claim, width × height
    options.limits.maxByteCount = 20_000_000  // of the file
    options.limits.maxSeconds = 10  // for one picture or frame
    let image = try CodersManager.shared.decode(upload, options: options)
    print(image)
}

func processingAsync(upload: Data, options: DecodeOptions) async throws {
    let image = try await CodersManager.shared.image(from: upload, options: options)
    let webP = try await CodersManager.shared.data(of: image, as: .webP)
    print(webP)
}

func processingByAManager(upload: Data, uploadID: String) async throws {
    var request = ImageRequest(id: uploadID) { upload }
    request.context.thumbnailPixelSize = ImageSize(800, 800)
    request.context.transformer = .smartCrop(to: ImageSize(200, 200))
    request.context.storeCacheType = .none
    request.context.originalStoreCacheType = .none
    let avatar = try await ImageManager.shared.image(for: request).image
    print(avatar)
}

func processingToAFile(image: DecodedImage) throws {
    var options = EncodeOptions(quality: 0.85)
    options.maxByteCount = 100_000  // quality, then size are lowered until it fits
    options.backgroundColor = .white  // behind transparent pixels, in a format without alpha
    let webP = try CodersManager.shared.encode(image, to: .webP, options: options)
    let usual = try CodersManager.shared.encode(image, to: image.preferredFormat(for: CodersManager.shared))
    print(webP, usual)
}

func processingMetadata(upload: Data, image: DecodedImage) throws {
    let metadata = try CodersManager.shared.metadata(of: upload)
    print(metadata.exifTags?.model ?? "", metadata.exifTags?.location?.latitude ?? 0)
    print(metadata.xmpProperties?.title ?? "", metadata.iptcRecords?.keywords ?? [])

    var options = EncodeOptions()
    options.metadata = metadata.filtered(by: .allWithoutLocation)  // no GPS, no names of places
    let jpeg = try CodersManager.shared.encode(image, to: .jpeg, options: options)
    print(jpeg)
}
