import Dispatch
import Synchronization
import WebImage
import WebImageFoundation

/// The folder that `fetch` writes pictures to, each under a name of its own; no file of others is replaced.
final class OutputFolder: Sendable {
    private enum Owner: Equatable {
        /// The picture with this place in the list.
        case picture(Int)
        /// Somebody before us.
        case other
    }

    private let path: String
    private let names: [OutputName]
    /// Which of the pictures with one and the same name each is, from 1.
    private let ordinals: [Int]
    private let owners = Mutex<[String: Owner]>([:])
    private let queue = DispatchQueue(label: "webimage.output", qos: .userInitiated, attributes: .concurrent)

    /// - Parameters:
    ///   - format: What all files are written as; `nil` where each keeps its own.
    init(_ path: String, sources: [PictureSource], format: ImageFormat?) {
        self.path = path
        names = sources.map { OutputName($0.url) }
        var counts: [String: Int] = [:]
        ordinals = names.map { name in
            counts[name.text(format), default: 0] += 1
            return counts[name.text(format), default: 1]
        }
    }

    /// Makes the folder.
    func prepare() throws(ImageError) {
        do throws(SystemFault) {
            try FileSystem.makeFolder(path)
        } catch {
            throw Self.error(path, error)
        }
    }

    /// Runs what takes its time, such as encoding, and writes the file that it makes.
    ///
    /// - Parameter number: The picture's place in the list.
    /// - Returns: The file's name.
    func write(
        picture number: Int, _ make: @escaping @Sendable () -> Result<Data, ImageError>
    ) async throws(ImageError) -> String {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<String, ImageError>, _>) in
            queue.async {
                continuation.resume(
                    returning: make().flatMap { data in
                        Result { () throws(ImageError) in try self.write(data, number) }
                    })
            }
        }
        return try result.get()
    }

    private func write(_ data: Data, _ number: Int) throws(ImageError) -> String {
        let format = FormatSniffer.format(of: data)
        var ordinal = ordinals[number]
        while true {
            let name = names[number].text(format, ordinal: ordinal)
            switch claim(path + "/" + name, for: number, data) {
            case .taken: ordinal += 1
            case .written: return name
            case .free:
                try write(data, to: path + "/" + name)
                return name
            }
        }
    }

    private func write(_ data: Data, to file: String) throws(ImageError) {
        do throws(SystemFault) {
            try FileSystem.write(data, to: file)
        } catch {
            throw Self.error(file, error)
        }
    }

    private enum Claim {
        case free
        case taken
        /// An earlier run wrote this very picture.
        case written
    }

    private func claim(_ file: String, for number: Int, _ data: Data) -> Claim {
        let former = owners.withLock { owners in
            defer { owners[file] = owners[file] ?? .picture(number) }
            return owners[file]
        }
        if let former { return former == .picture(number) ? .free : .taken }
        guard FileSystem.kind(of: file) != nil else { return .free }
        if FileSystem.size(of: file) == data.count, (try? FileSystem.contents(of: file)) == data { return .written }
        owners.withLock { $0[file] = .other }
        return .taken
    }

    private static func error(_ path: String, _ fault: SystemFault) -> ImageError {
        ImageError(.storeFailed, .store, "cannot write \(path): \(fault.reason); choose another folder with -o")
    }
}
