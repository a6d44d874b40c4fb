/// The channels of a written file's samples, 8 bits each. The numbers are those of the header.
enum PNGColor: UInt8 {
    case gray = 0
    case rgb = 2
    case grayAlpha = 4
    case rgba = 6

    init(hasAlpha: Bool, isGray: Bool = false) {
        self = isGray ? hasAlpha ? .grayAlpha : .gray : hasAlpha ? .rgba : .rgb
    }

    /// How many bytes a pixel takes.
    private var channelCount: Int {
        switch self {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba: 4
        }
    }

    /// Turns a row of R, G, B, A into the samples of the file, at its front.
    func pack(_ row: UnsafeMutableRawBufferPointer) {
        guard self != .rgba else { return }
        let step = channelCount
        for x in 0..<row.count / 4 {
            let pixel = unsafe row.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
            for channel in 0..<min(step, 3) { unsafe row[x * step + channel] = pixel[channel] }
            if self == .grayAlpha { unsafe row[x * 2 + 1] = pixel.w }
        }
    }
}
