import CWebImageGIF

/// Where giflib writes to.
final class GIFOutput {
    private(set) var bytes: [UInt8] = []

    func append(_ more: [UInt8]) { bytes += more }

    /// giflib's way to give bytes away; the answer is how many were taken.
    static func write(
        _ file: UnsafeMutablePointer<GifFileType>?, _ source: UnsafePointer<GifByteType>?, _ count: Int32
    ) -> Int32 {
        guard let user = unsafe file?.pointee.UserData, let source = unsafe source, count > 0 else { return 0 }
        let output = unsafe Unmanaged<GIFOutput>.fromOpaque(user).takeUnretainedValue()
        unsafe output.bytes.append(contentsOf: UnsafeBufferPointer(start: source, count: Int(count)))
        return count
    }
}
