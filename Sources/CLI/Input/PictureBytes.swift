import WebImage
import WebImageFoundation

/// The bytes of one picture that an argument names: a URL, a file, or `-` for standard input.
enum PictureBytes {
    /// - Parameter report: Told what the cache could not write; the bytes are there all the same.
    static func read(
        _ argument: String, options: LoadOptions, report: (ImageError) -> Void
    ) async throws(ImageError) -> Data {
        if argument == "-" { return try readStandardInput() }
        let source = PictureSource(argument)
        let request = ImageRequest(try source.requiredURL(), options: options.union(.waitStoreCache))
        let result = try await ImageManager.shared.data(for: request)
        if let error = result.storeError { report(error) }
        return result.data
    }

    private static func readStandardInput() throws(ImageError) -> Data {
        let limit = DecodeLimits().maxByteCount
        let data: Data
        do throws(SystemFault) {
            data = try OpenFile.standardInput.read(atMost: limit + 1)
        } catch {
            if Task.isCancelled { throw .cancelled(.load) }
            throw ImageError(.fileNotReadable, .load, "standard input cannot be read: \(error.reason)")
        }
        guard data.count <= limit else {
            throw ImageError(.limitExceeded, .load, "standard input has more than \(limit) bytes")
        }
        return data
    }
}
