import CWebImageWebP
import WebImageCore
import WebImagePixels

/// The picture that frames are laid on, with straight alpha.
@safe struct WebPCanvas: Sendable {
    /// What a frame brings.
    enum Coverage {
        case allOpaque
        case someTransparent
    }

    private(set) var pixels: PixelBuffer
    /// Whether nothing was drawn that may be transparent.
    private(set) var isOpaque = true
    /// A frame that is to be blended.
    private var overlay: PixelBuffer?

    /// Transparent.
    init(_ size: PixelSize) throws(ImageError) {
        guard let pixels = PixelBuffer(size: size, layout: .init(alpha: .straight)) else {
            throw ImageError(.limitExceeded, .decode, "no picture of \(size) can be made")
        }
        self.pixels = pixels
    }

    /// Makes all of it transparent.
    mutating func clear() {
        unsafe pixels.withUnsafeMutableBytes { (bytes) -> Void in
            _ = unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Does what is due when a frame's time is over.
    mutating func dispose(_ placement: FramePlacement) {
        guard placement.disposal == .clear else { return }
        let bytesPerRow = pixels.bytesPerRow
        unsafe pixels.withUnsafeMutableBytes { bytes in
            for y in placement.y..<placement.y + placement.size.height {
                let start = y * bytesPerRow + placement.x * 4
                let row = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: bytes[start..<start + placement.size.width * 4])
                _ = unsafe row.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }

    /// Decodes a frame in its place.
    ///
    /// - Parameters:
    ///   - source: The chunks of its pixels.
    ///   - isBlended: Whether what is there shines through; it is replaced otherwise.
    ///   - bare: Where the frame before was cleared: nothing is there to shine through.
    /// - Returns: `false` where the frame cannot be decoded, or does not lie on the canvas.
    mutating func draw(
        _ placement: FramePlacement, _ source: UnsafeRawBufferPointer, _ coverage: Coverage, isBlended: Bool,
        bare: FramePlacement?
    ) -> Bool {
        let whole = FramePlacement(x: 0, y: 0, size: pixels.size, disposal: .keep)
        guard whole.contains(placement) else { return false }
        if coverage == .someTransparent { isOpaque = false }
        guard isBlended else {
            // The picture of the frame before may be in somebody's hands: it is not copied to be drawn over.
            if placement.covers(pixels.size) { pixels.discardContents() }
            return unsafe Self.decode(source, into: &pixels, at: (placement.x, placement.y), placement.size)
        }
        guard var overlay = unusedOverlay(placement.size),
            unsafe Self.decode(source, into: &overlay, at: (0, 0), placement.size)
        else { return false }
        for row in 0..<placement.size.height { blend(overlay, row, placement, bare: bare) }
        self.overlay = overlay
        return true
    }

    /// Memory for a frame, of the one before where its size is the same.
    private mutating func unusedOverlay(_ size: PixelSize) -> PixelBuffer? {
        defer { overlay = nil }
        if let overlay, overlay.size == size { return overlay }
        return PixelBuffer(size: size, layout: .init(alpha: .straight))
    }

    private mutating func blend(_ overlay: PixelBuffer, _ row: Int, _ placement: FramePlacement, bare: FramePlacement?)
    {
        let y = placement.y + row
        let start = y * pixels.bytesPerRow + placement.x * 4
        var bareColumns = 0..<0
        if let bare, bare.y..<bare.y + bare.size.height ~= y {
            let columns = bare.x - placement.x..<bare.x - placement.x + bare.size.width
            bareColumns = columns.clamped(to: 0..<placement.size.width)
        }
        unsafe pixels.withUnsafeMutableBytes { bytes in
            unsafe overlay.withUnsafeRow(row) { source in
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + source.count])
                for x in 0..<placement.size.width {
                    let over = unsafe source.load(fromByteOffset: x * 4, as: UInt32.self)
                    let under = unsafe target.load(fromByteOffset: x * 4, as: UInt32.self)
                    let blended = bareColumns.contains(x) ? over : WebPBlending.blend(over, over: under)
                    unsafe target.storeBytes(of: blended, toByteOffset: x * 4, as: UInt32.self)
                }
            }
        }
    }

    /// Decodes chunks to a part of a picture, of which libwebp is told the size; `false` where that is not theirs.
    private static func decode(
        _ source: UnsafeRawBufferPointer, into target: inout PixelBuffer, at place: (x: Int, y: Int), _ size: PixelSize
    ) -> Bool {
        var status = VP8_STATUS_OK
        guard let features = unsafe WebPFeatures(source, &status), features.size == size, !features.isAnimated else {
            return false
        }
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0 else { return false }
        let bytesPerRow = target.bytesPerRow
        let start = place.y * bytesPerRow + place.x * 4
        return unsafe target.withUnsafeMutableBytes { bytes in
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            unsafe config.output.colorspace = MODE_RGBA
            unsafe config.output.is_external_memory = 1
            unsafe config.output.u.RGBA.rgba = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe config.output.u.RGBA.stride = Int32(bytesPerRow)
            unsafe config.output.u.RGBA.size = part.count
            return unsafe WebPDecode(source.webPStart, source.count, &config) == VP8_STATUS_OK
        }
    }
}
