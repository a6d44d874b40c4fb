import WebImageCore
import WebImagePixels

/// Memory for one frame that stays where it is while its bytes come.
///
/// `@unchecked Sendable`: it belongs to the state of one incremental decoder, which a lock protects.
@safe
final class JXLCanvas: @unchecked Sendable {
    private let size: PixelSize
    private let pixels: UnsafeMutableRawBufferPointer
    private let black: UnsafeMutableRawBufferPointer
    private let header: JXLHeader

    init(_ header: JXLHeader) throws(ImageError) {
        let (byteCount, overflow) = (header.size.pixelCount ?? .max).multipliedReportingOverflow(by: 4)
        guard !overflow else { throw ImageError(.limitExceeded, .decode, "jxl of \(header.size) fits no memory") }
        size = header.size
        self.header = header
        unsafe pixels = .allocate(byteCount: byteCount, alignment: 64)
        unsafe black = .allocate(byteCount: header.blackChannel == nil ? 0 : byteCount / 4, alignment: 64)
        unsafe _ = pixels.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe _ = black.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        unsafe pixels.deallocate()
        unsafe black.deallocate()
    }

    func attach(to decoder: OpaquePointer, frame: Int) throws(ImageError) {
        try unsafe targets.attach(to: decoder, frame: frame)
    }

    func finish() {
        targets.finish()
    }

    func giveRows(to sink: inout DecodingSink) throws(ImageError) {
        for y in 0..<size.height {
            try unsafe sink.withNextRow { row in
                let start = y * row.count
                unsafe row.copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels[start..<start + row.count]))
            }
        }
    }

    private var targets: JXLTargets { unsafe JXLTargets(pixels: pixels, black: black, header: header) }
}
