/// A picture in memory: rows of pixels, top row first.
///
/// A value: a copy shares its bytes until one of the two is written to. It owns its bytes, so that nothing else can
/// change or free them.
public struct PixelBuffer: Sendable {
    /// Width and height in pixels, neither 0.
    public let size: PixelSize
    /// The distance from one row to the next, in bytes; at least width × bytes per pixel.
    public let bytesPerRow: Int
    /// How one pixel lies in memory.
    public let format: PixelFormat
    /// What alpha means here. Kernels that mix pixels want `premultiplied` or `opaque`.
    public var alpha: AlphaMode
    /// What the numbers mean as colour; changing it converts nothing.
    public var colorSpace: ColorSpace
    private var memory: PixelMemory

    /// The description of a buffer's pixels, apart from its size.
    public struct Layout: Sendable, Hashable {
        /// How one pixel lies in memory.
        public var format: PixelFormat
        /// What alpha means.
        public var alpha: AlphaMode
        /// What the numbers mean as colour.
        public var colorSpace: ColorSpace

        /// The form of every picture in memory, or some of it changed.
        public init(
            format: PixelFormat = .rgba8, alpha: AlphaMode = .premultiplied, colorSpace: ColorSpace = .sRGB
        ) {
            self.format = format
            self.alpha = alpha
            self.colorSpace = colorSpace
        }
    }

    /// A transparent (all bytes 0) picture without padding between rows.
    ///
    /// `nil` when the size is empty, its byte count does not fit an `Int`, or the system gives no such memory. The
    /// caller has checked its limits all the same: Linux may give more than there is, and end the process that uses it.
    public init?(size: PixelSize, layout: Layout = Layout()) {
        self.init(size, layout) { PixelMemory(clearedByteCount: $0) }
    }

    /// A picture whose bytes are whatever was there before; the caller writes all of them before anybody reads one.
    package init?(uninitialized size: PixelSize, layout: Layout) {
        self.init(size, layout) { PixelMemory(byteCount: $0) }
    }

    private init?(_ size: PixelSize, _ layout: Layout, _ memory: (Int) -> PixelMemory?) {
        guard !size.isEmpty, let pixels = size.pixelCount else { return nil }
        let (byteCount, overflow) = pixels.multipliedReportingOverflow(by: layout.format.bytesPerPixel)
        guard !overflow, let memory = memory(byteCount) else { return nil }
        self.size = size
        self.format = layout.format
        self.alpha = layout.alpha
        self.colorSpace = layout.colorSpace
        self.bytesPerRow = size.width * layout.format.bytesPerPixel
        self.memory = memory
    }

    /// In pixels.
    public var width: Int { size.width }
    /// In pixels.
    public var height: Int { size.height }
    /// Bytes per row × height.
    public var byteCount: Int { bytesPerRow * height }
    /// Format, alpha and colour space together.
    public var layout: Layout { Layout(format: format, alpha: alpha, colorSpace: colorSpace) }

    /// Reads all bytes; the pointer is good only inside `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { extendLifetime(memory) }
        return try unsafe body(UnsafeRawBufferPointer(memory.bytes))
    }

    /// Writes any bytes; the pointer is good only inside `body`. Copies first when the bytes are shared.
    public mutating func withUnsafeMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isKnownUniquelyReferenced(&memory) { memory = memory.copy() }
        defer { extendLifetime(memory) }
        return try unsafe body(memory.bytes)
    }

    /// Before all bytes are written anew: where they are shared the others keep them, and nothing is copied. What the
    /// bytes are afterwards is unknown.
    package mutating func discardContents() {
        guard !isKnownUniquelyReferenced(&memory), let fresh = PixelMemory(byteCount: byteCount) else { return }
        memory = fresh
    }

    /// Reads the bytes of one row, padding left out.
    public func withUnsafeRow<Result, Failure: Error>(
        _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < height, "row outside the picture")
        return try unsafe withUnsafeBytes { bytes throws(Failure) in
            let start = y * bytesPerRow
            return try unsafe body(
                UnsafeRawBufferPointer(rebasing: bytes[start..<start + width * format.bytesPerPixel]))
        }
    }

    /// The colour of a pixel, whatever the buffer's format; `nil` outside the picture.
    public func color(x: Int, y: Int) -> PixelColor? {
        guard x >= 0, y >= 0, x < width, y < height else { return nil }
        return unsafe withUnsafeRow(y) { row in
            switch format {
            case .rgba8:
                let pixel = unsafe row.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
                return alpha == .premultiplied ? PixelColor(premultiplied: pixel) : PixelColor(pixel)
            case .rgbaHalf:
                let pixel = unsafe SIMD4<Float>(row.loadUnaligned(fromByteOffset: x * 8, as: SIMD4<Float16>.self))
                return PixelColor(pixel, isPremultiplied: alpha == .premultiplied)
            }
        }
    }
}
