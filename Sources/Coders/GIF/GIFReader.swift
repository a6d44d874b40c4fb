import CWebImageGIF
import WebImageCore
import WebImagePixels

/// One pass of giflib over one file, record by record and line by line. The bytes must outlive it.
@safe struct GIFReader: ~Copyable {
    private let file: UnsafeMutablePointer<GifFileType>
    private let source: UnsafeMutablePointer<GIFSource>
    private let structure: GIFStructure
    private let limits: DecodeLimits

    init(_ bytes: UnsafeRawBufferPointer, _ structure: GIFStructure, limits: DecodeLimits) throws(ImageError) {
        let source = UnsafeMutablePointer<GIFSource>.allocate(capacity: 1)
        unsafe source.initialize(to: GIFSource(remaining: bytes))
        var code: Int32 = 0
        guard let file = unsafe DGifOpen(source, { unsafe GIFSource.read($0, $1, $2) }, &code) else {
            unsafe source.deallocate()
            throw Self.failure(code, "in its header")
        }
        unsafe self.file = file
        unsafe self.source = source
        self.structure = structure
        self.limits = limits
    }

    deinit {
        var code: Int32 = 0
        unsafe _ = DGifCloseFile(file, &code)
        unsafe source.deallocate()
    }

    /// The frame as it shows, laid over what the frames before it left.
    ///
    /// - Parameter empty: A transparent picture of the canvas's size.
    func picture(ofFrame last: Int, on empty: PixelBuffer) throws(ImageError) -> PixelBuffer {
        var canvas = GIFCanvas(empty)
        let first = structure.firstFrame(neededFor: last)
        for index in 0...last {
            try moveToImage(index)
            let placement = structure.frames[index].placement
            guard index >= first, !placement.size.isEmpty else {
                try skipImage(index)
                continue
            }
            let isUndone = index < last && placement.disposal == .restorePrevious
            if isUndone { canvas.save(placement) }
            try draw(index, on: &canvas)
            if index < last { canvas.dispose(placement) }
        }
        return canvas.pixels
    }

    /// Reads up to the next image and over its header.
    private func moveToImage(_ index: Int) throws(ImageError) {
        var type = UNDEFINED_RECORD_TYPE
        while unsafe DGifGetRecordType(file, &type) == GIF_OK {
            switch type {
            case IMAGE_DESC_RECORD_TYPE:
                guard unsafe DGifGetImageHeader(file) == GIF_OK else { throw failure(index) }
                return
            case EXTENSION_RECORD_TYPE: try skipExtension(index)
            default: throw failure(index)
            }
        }
        throw failure(index)
    }

    private func skipExtension(_ index: Int) throws(ImageError) {
        var code: Int32 = 0
        var block: UnsafeMutablePointer<GifByteType>?
        guard unsafe DGifGetExtension(file, &code, &block) == GIF_OK else { throw failure(index) }
        while unsafe block != nil {
            guard unsafe DGifGetExtensionNext(file, &block) == GIF_OK else { throw failure(index) }
        }
    }

    private func skipImage(_ index: Int) throws(ImageError) {
        var block: UnsafeMutablePointer<GifByteType>?
        repeat {
            guard unsafe DGifGetCodeNext(file, &block) == GIF_OK else { throw failure(index) }
        } while unsafe block != nil
    }

    private func draw(_ index: Int, on canvas: inout GIFCanvas) throws(ImageError) {
        let frame = structure.frames[index]
        let size = frame.placement.size
        // A few bytes can stand for a frame far larger than its canvas.
        try limits.check(size, of: .gif)
        let colors = colors(of: frame)
        var line = [UInt8](repeating: 0, count: size.width)
        for row in unsafe Self.rowOrder(size.height, isInterlaced: file.pointee.Image.Interlace) {
            let isRead = unsafe line.withUnsafeMutableBufferPointer { indices in
                unsafe DGifGetLine(file, indices.baseAddress, Int32(indices.count)) == GIF_OK
            }
            guard isRead else { throw failure(index) }
            canvas.draw(line, colors, row: row, of: frame.placement)
        }
    }

    /// Each palette entry as RGBA in memory order. Indices that the palette does not have are black; the one that
    /// leaves the canvas as it is is 0.
    private func colors(of frame: GIFStructure.Frame) -> [UInt32] {
        var colors = [UInt32](repeating: Self.pixel(0, 0, 0), count: 256)
        if let map = unsafe file.pointee.Image.ColorMap ?? file.pointee.SColorMap,
            let entries = unsafe map.pointee.Colors
        {
            for index in unsafe 0..<min(256, Int(map.pointee.ColorCount)) {
                let entry = unsafe entries[index]
                colors[index] = Self.pixel(entry.Red, entry.Green, entry.Blue)
            }
        }
        if let index = frame.transparentIndex { colors[index] = 0 }
        return colors
    }

    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        unsafe unsafeBitCast(SIMD4(red, green, blue, 255), to: UInt32.self)
    }

    /// The rows of a frame in the order in which they are stored.
    private static func rowOrder(_ height: Int, isInterlaced: Bool) -> [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
    }

    private func failure(_ index: Int) -> ImageError {
        unsafe Self.failure(file.pointee.Error, "in frame \(index)")
    }

    private static func failure(_ code: Int32, _ place: String) -> ImageError {
        let text = unsafe GifErrorString(code)
        let message = unsafe text.map { unsafe String(cString: $0) } ?? "an unknown block"
        return ImageError(.badImageData, .decode, "the gif is damaged \(place): \(message)")
    }
}

/// The bytes that giflib has not read yet.
@safe struct GIFSource {
    private var remaining: UnsafeRawBufferPointer

    init(remaining: UnsafeRawBufferPointer) {
        unsafe self.remaining = unsafe remaining
    }

    /// giflib's way to ask for bytes; fewer than asked for means the end.
    static func read(
        _ file: UnsafeMutablePointer<GifFileType>?, _ target: UnsafeMutablePointer<GifByteType>?, _ count: Int32
    ) -> Int32 {
        guard let user = unsafe file?.pointee.UserData, let target = unsafe target, count > 0 else { return 0 }
        let source = unsafe user.assumingMemoryBound(to: GIFSource.self)
        let part = unsafe source.pointee.remaining.prefix(Int(count))
        unsafe UnsafeMutableRawBufferPointer(start: target, count: Int(count)).copyBytes(from: part)
        unsafe source.pointee.remaining = UnsafeRawBufferPointer(
            rebasing: source.pointee.remaining.dropFirst(part.count))
        return unsafe Int32(part.count)
    }
}
