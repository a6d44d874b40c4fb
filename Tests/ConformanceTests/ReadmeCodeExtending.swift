import Foundation
import WebImage

// The code of the article Extending.md, so that it compiles. `Scripts/check` compares them.

private func show(_ image: DecodedImage) {}
private func respond(_ text: String) {}

struct PictureDatabase: Sendable {
    func blob(named name: String) async throws -> Data { Data(name.utf8) }
}

private let database = PictureDatabase()

private func drawChart(_ number: Int) async throws -> DecodedImage {
    try ImageManager.shared.imageCoder.decode(Data(), options: DecodeOptions())
}

func extendingByClosures() async throws {
    let cover = ImageRequest(id: "cover/42") { try await database.blob(named: "cover/42") }  // a file's bytes
    let chart = ImageRequest(id: "chart/7/dark") { try await drawChart(7) }  // a picture: kept encoded on disk
    show(try await ImageManager.shared.image(for: cover).image)
    show(try await ImageManager.shared.image(for: chart).image)
}

func extendingByALoader() async throws {
    let albums = ClosureLoader(schemes: ["album"]) { request in
        LoadedData(data: try await database.blob(named: request.url?.path ?? ""))
    }
    let manager = ImageManager(loader: LoadersManager([DataURLLoader(), ImageDownloader.shared, albums]))
    let picture = try await manager.image(from: URL(string: "album:/journey/1"))
    print(picture)
}

extension ImageFormat {
    static let tinyGrey = ImageFormat(rawValue: "tinygrey")
}

/// `TINY`, width and height in a byte each, then a byte of grey for each pixel.
struct TinyGreyCoder: ImageCoder {
    func canDecode(_ data: Data) -> Bool { data.starts(with: Data("TINY".utf8)) }

    func probe(_ data: Data) throws(ImageError) -> ImageProbe {
        let header = [UInt8](data.prefix(6))
        guard header.count == 6 else { throw ImageError(.badImageData, .decode, "the file ends in its header") }
        return ImageProbe(format: .tinyGrey, size: PixelSize(Int(header[4]), Int(header[5])))
    }

    func decode(
        _ data: Data, options: DecodeOptions, monitor: DecodeMonitor
    ) throws(ImageError) -> DecodedImage {
        let decoding = try RowDecoding(try probe(data), options: options, monitor: monitor)
        let (width, height) = (decoding.storedSize.width, decoding.storedSize.height)
        let samples = [UInt8](data.dropFirst(6))
        guard samples.count >= width * height else {
            throw ImageError(.badImageData, .decode, "the file has fewer pixels than its header says")
        }
        var sink = try decoding.sink()
        for y in 0..<height {
            try sink.withNextRow { row in
                for x in 0..<width {
                    let grey = samples[y * width + x]
                    row.storeBytes(of: SIMD4(grey, grey, grey, 255), toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return decoding.image(of: sink)
    }
}

func extendingByACoder(file: Data) throws {
    CodersManager.shared.add(TinyGreyCoder())
    let image = try CodersManager.shared.decode(file)
    print(image)
}

struct Mirror: LoadInterceptor {
    func intercept(_ chain: LoadChain) async throws(ImageError) -> LoadResult {
        do throws(ImageError) {
            return try await chain.proceed()
        } catch {
            guard !error.isCancelled, let url = chain.request.url else { throw error }
            var request = chain.request
            request.url = URL(string: "https://mirror.example.org\(url.path)")
            return try await chain.proceed(with: request)
        }
    }
}

struct Product: Sendable {
    let id: Int
}

func extendingByModels() async throws {
    var configuration = ImageManager.Configuration()
    configuration.interceptors = [Mirror()]
    configuration.mappers = [
        ImageMapper { (product: Product) in ImageRequest("https://example.org/products/\(product.id).jpg") }
    ]
    let manager = ImageManager(configuration: configuration)
    let picture = try await manager.image(for: Product(id: 42))
    print(picture)
}

func extendingByObservers() {
    var configuration = ImageManager.Configuration()
    configuration.observers = [
        LoadObserver { observation in
            switch observation.kind {
            case .loadBegan, .stageBegan: break
            case .stageEnded(let stage, let duration, _): print(observation.id, stage, duration)
            case .loadEnded(.success(let result), let duration): print(observation.id, result.source, duration)
            case .loadEnded(.failure(let error), _): print(observation.id, error)
            }
        }
    ]
    let manager = ImageManager(configuration: configuration)
    print(manager)
}

func extendingByMetrics(manager: ImageManager) {
    let metrics = manager.metrics
    print(metrics.memoryHitCount, metrics.diskHitCount, metrics.networkLoadCount, metrics.loads.percentile99)
    respond(metrics.prometheusText)  // webimage_loads_total{result="memory"} 12 …
}
