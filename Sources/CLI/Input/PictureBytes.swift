import WebImage
import WebImageFoundation

/// The bytes of one picture that an argument names: a URL, a file, or `-` for standard input.
enum PictureBytes {
    /// - Parameter report: Told what the cache could not write; the bytes are there all the same.
    static func read(
        _ argument: String, options: LoadOptions, report: (ImageError) -> Void
    ) async throws(ImageError) -> Data {
        if argument == "-" { return try readStream(nil) }
        // The loader of files takes regular ones only; a person may name a pipe.
        if !PictureSource.isURL(argument), FileSystem.kind(of: argument) == .other { return try readStream(argument) }
        let source = PictureSource(argument)
        let request = ImageRequest(try source.requiredURL(), options: options.union(.waitStoreCache))
        let result = try await ImageManager.shared.data(for: request)
        if let error = result.storeError { report(error) }
        return result.data
    }

    /// - Parameter path: Of a pipe or a device; `nil` is standard input.
    private static func readStream(_ path: String?) throws(ImageError) -> Data {
        let limit = DecodeLimits().maxByteCount
        let name = path ?? "standard input"
        let data: Data
        do throws(SystemFault) {
            data =
                if let path {
                    try FileSystem.contents(of: path, atMost: limit + 1)
                } else {
                    try OpenFile.standardInput.read(atMost: limit + 1)
                }
        } catch {
            if Task.isCancelled { throw .cancelled(.load) }
            throw ImageError(.fileNotReadable, .load, "\(name) cannot be read: \(error.reason)")
        }
        guard data.count <= limit else {
            throw ImageError(.limitExceeded, .load, "\(name) has more than \(limit) bytes")
        }
        return data
    }
}
