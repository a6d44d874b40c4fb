import WebImagePixels

/// Makes pixels of samples: straight RGBA of 8 bits, or CMYK.
struct TIFFSamples {
    let layout: TIFFLayout
    /// What each value is in 8 bits, rounded to nearest; empty for 16 bits, which are reckoned.
    private let levels: [UInt8]
    private let isInverted: Bool
    private let palette: [SIMD4<UInt8>]
    /// The samples of one row in file order, or of one plane after another.
    private var row: [UInt16] = []

    init(_ layout: TIFFLayout, palette: [SIMD4<UInt8>]) {
        self.layout = layout
        self.palette = palette
        isInverted = layout.photometric == .minIsWhite
        let maximum = (1 << layout.bits) - 1
        levels = layout.bits == 16 ? [] : (0...maximum).map { UInt8(($0 * 255 + maximum / 2) / maximum) }
    }

    /// - Parameters:
    ///   - parts: The bytes of one row: one part, or one for each plane that is looked at. Those that are missing
    ///     count as 0.
    ///   - target: Whole pixels, 4 bytes each.
    mutating func convert(_ parts: [ArraySlice<UInt8>], to target: UnsafeMutableRawBufferPointer) {
        let width = target.count / 4
        let count = width * layout.samplesPerPixel
        if row.count != count * parts.count { row = [UInt16](repeating: 0, count: count * parts.count) }
        for (index, part) in parts.enumerated() {
            unpack(part, into: index * count..<(index + 1) * count)
        }
        let pixelStep = layout.samplesPerPixel
        let sampleStep = layout.isPlanar ? width : 1
        unsafe row.withUnsafeBufferPointer { samples in
            for x in 0..<width {
                let pixel = unsafe self.pixel(samples, at: x * pixelStep, step: sampleStep)
                unsafe target.storeBytes(of: pixel, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
            }
        }
    }

    // MARK: Bits

    private mutating func unpack(_ part: ArraySlice<UInt8>, into range: Range<Int>) {
        let count = min(range.count, part.count * 8 / layout.storedBits)
        unsafe part.withUnsafeBytes { bytes in
            unsafe row.withUnsafeMutableBufferPointer { samples in
                let samples = unsafe UnsafeMutableBufferPointer(rebasing: samples[range].prefix(count))
                unsafe Self.unpack(bytes, layout.encoding, layout.storedBits, samples)
            }
        }
        for missing in range.dropFirst(count) { row[missing] = 0 }
    }

    // MARK: Pixels

    private func pixel(_ samples: UnsafeBufferPointer<UInt16>, at start: Int, step: Int) -> SIMD4<UInt8> {
        func sample(_ channel: Int) -> UInt16 { unsafe samples[start + channel * step] }
        let cover = layout.alpha == nil ? 0 : sample(layout.colorCount)
        var pixel: SIMD4<UInt8>
        switch layout.photometric {
        case .palette:
            pixel = palette[Int(sample(0))]
        case .separated:
            return SIMD4(level(sample(0)), level(sample(1)), level(sample(2)), level(sample(3)))
        case .minIsWhite, .minIsBlack, .yCbCr:
            let gray = color(sample(0), cover)
            pixel = SIMD4(gray, gray, gray, 255)
        case .rgb:
            pixel = SIMD4(color(sample(0), cover), color(sample(1), cover), color(sample(2), cover), 255)
        }
        if layout.alpha != nil { pixel.w = level(cover) }
        return pixel
    }

    /// A colour sample as straight colour of 8 bits.
    private func color(_ sample: UInt16, _ cover: UInt16) -> UInt8 {
        guard layout.alpha == .associated else { return isInverted ? 255 - level(sample) : level(sample) }
        // Divided in full depth, so that little is lost where little is covered.
        let cover = UInt32(cover)
        let maximum = UInt32(1) << UInt32(layout.bits) - 1
        let light = isInverted ? maximum - UInt32(sample) : UInt32(sample)
        return cover == 0 ? 0 : UInt8(min(255, (light * 255 + cover / 2) / cover))
    }

    private func level(_ sample: UInt16) -> UInt8 {
        // 255 / 65535 is 1 / 257; this is the division, rounded, for every sample.
        levels.isEmpty ? UInt8((UInt32(sample) * 255 + 32_895) >> 16) : levels[Int(sample)]
    }
}
