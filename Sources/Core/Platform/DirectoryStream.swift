#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The names in a folder, one after the other, in no order; closed when the value goes.
///
/// Memory does not grow with the folder. Names that come or go meanwhile may be given or not.
@safe struct DirectoryStream: ~Copyable {
    private let stream: Platform.Directory

    init(_ folder: String) throws(SystemError) {
        guard let stream = unsafe opendir(folder) else { throw .last }
        unsafe self.stream = stream
    }

    deinit {
        unsafe _ = closedir(stream)
    }

    /// The next name, `.` and `..` left out, handed to the closure; `nil` after the last.
    ///
    /// The bytes are good only during the call, and a NUL follows them.
    func next<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        unsafe nextTyped { name, _ in unsafe body(name) }
    }

    /// The same, with the type that the system gives with a name.
    private func nextTyped<Result>(_ body: (UnsafeRawBufferPointer, _ type: UInt8) -> Result) -> Result? {
        while let entry = unsafe readdir(stream) {
            let result: Result? = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let count = unsafe strlen(bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
                let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
                return unsafe Self.isDots(name) ? nil : body(name, entry.pointee.d_type)
            }
            if let result { return result }
        }
        return nil
    }

    /// Hands all names of a folder to the closure, and the folder to ask about them; none where it cannot be read.
    static func visit(_ folder: String, _ body: (UnsafeRawBufferPointer, borrowing DirectoryStream) -> Void) {
        guard let stream = try? DirectoryStream(folder) else { return }
        unsafe stream.visit { unsafe body($0, stream) }
    }

    /// The same with the names of regular files alone, which most file systems tell from others without being asked.
    static func visitFiles(
        _ folder: String, _ body: (UnsafeRawBufferPointer, borrowing DirectoryStream) -> Void
    ) throws(SystemError) {
        let stream = try DirectoryStream(folder)
        let visit = { (name: UnsafeRawBufferPointer, type: UInt8) in
            let isFile =
                type == UInt8(DT_UNKNOWN)
                ? (try? unsafe stream.status(name))?.isRegularFile == true : type == UInt8(DT_REG)
            if isFile { unsafe body(name, stream) }
        }
        while unsafe stream.nextTyped(visit) != nil {}
    }

    /// Hands all names that are left to the closure.
    func visit(_ body: (UnsafeRawBufferPointer) -> Void) {
        while unsafe next({ unsafe body($0) }) != nil {}
    }

    /// What the file system knows of a name that `next` has given.
    func status(_ name: UnsafeRawBufferPointer) throws(SystemError) -> FileStatus {
        let name = unsafe name.baseAddress!.assumingMemoryBound(to: CChar.self)
        guard let status = unsafe Platform.status(dirfd(stream), name) else { throw .last }
        return status
    }

    /// Removes a name that `next` has given.
    func remove(_ name: UnsafeRawBufferPointer) throws(SystemError) {
        let name = unsafe name.baseAddress!.assumingMemoryBound(to: CChar.self)
        guard unsafe unlinkat(dirfd(stream), name, 0) == 0 else { throw .last }
    }

    private static func isDots(_ name: UnsafeRawBufferPointer) -> Bool {
        let dot = UInt8(ascii: ".")
        return unsafe name.count <= 2 && name.allSatisfy { $0 == dot }
    }
}
