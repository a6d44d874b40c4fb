import WebImageFoundation

/// Turns rows of a file's samples into sRGB, in place.
///
/// Any number of threads may use one at once.
public final class ColorTransform: Sendable {
    private enum Step: Sendable {
        /// A transform of 4-byte pixels; the last byte of an RGB pixel is left as it is.
        case pixels(PixelTransform, fillsAlpha: Bool)
        /// The same for RGB, where the profile is simple enough.
        case matrix(MatrixConversion)
        /// What each grey becomes: red, green, blue.
        case grays([SIMD4<UInt8>])
        case plainCMYK
    }

    private let step: Step

    /// `nil` when nothing is to be done: the samples are sRGB already, or what the file says cannot be used.
    public convenience init?(_ source: SourceColor) {
        guard let profile = Profile(source) else {
            guard source.channels == .cmyk else { return nil }
            self.init(.plainCMYK)
            return
        }
        switch source.channels {
        case .rgb:
            guard let transform = profile.transform(from: PixelLayout.rgba) else { return nil }
            let exact = ColorTransform(.pixels(transform, fillsAlpha: false))
            // A profile that says sRGB in its own words costs nothing.
            guard !exact.isIdentity else { return nil }
            let quick = profile.matrixConversion.map { ColorTransform(.matrix($0)) }
            self.init(quick.flatMap { $0.agrees(with: exact) ? $0.step : nil } ?? exact.step)
        case .gray:
            guard let transform = profile.transform(from: PixelLayout.grayAndThree) else { return nil }
            self.init(.grays(Self.table(transform)))
            guard !isIdentity else { return nil }
        case .cmyk:
            guard let transform = profile.transform(from: PixelLayout.cmyk) else {
                self.init(.plainCMYK)
                return
            }
            self.init(.pixels(transform, fillsAlpha: true))
        }
    }

    private init(_ step: Step) {
        self.step = step
    }

    /// Converts whole pixels, 4 bytes each: straight RGBA, grey three times with alpha, or CMYK. Alpha stays, and is
    /// full after CMYK.
    public func apply(_ row: UnsafeMutableRawBufferPointer) {
        switch step {
        case .pixels(let transform, let fillsAlpha):
            unsafe transform.apply(row)
            if fillsAlpha { unsafe Self.fillAlpha(row) }
        case .matrix(let conversion):
            unsafe conversion.apply(row)
        case .grays(let table):
            for offset in stride(from: 0, to: row.count, by: 4) {
                var pixel = unsafe table[Int(row[offset])]
                unsafe pixel.w = row[offset + 3]
                unsafe row.storeBytes(of: pixel, toByteOffset: offset, as: SIMD4<UInt8>.self)
            }
        case .plainCMYK:
            unsafe Self.convertPlainCMYK(row)
        }
    }

    /// Whether a grid over the cube of samples comes out as it went in, within one step.
    private var isIdentity: Bool {
        var pixels = Self.grid
        if case .grays = step { pixels = Self.levels.flatMap { [$0, $0, $0, 255] } }
        return Self.isNear(converted(pixels), pixels)
    }

    /// Whether both give the same for a grid over the cube of samples, within one step.
    private func agrees(with other: ColorTransform) -> Bool {
        Self.isNear(converted(Self.grid), other.converted(Self.grid))
    }

    private func converted(_ pixels: [UInt8]) -> [UInt8] {
        var pixels = pixels
        unsafe pixels.withUnsafeMutableBytes { unsafe apply($0) }
        return pixels
    }

    private static func isNear(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        zip(first, second).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    private static let levels: [UInt8] = [0, 2, 10, 51, 102, 153, 204, 255]

    private static let grid: [UInt8] = levels.flatMap { red in
        levels.flatMap { green in levels.flatMap { blue in [red, green, blue, 255] } }
    }

    private static func table(_ transform: PixelTransform) -> [SIMD4<UInt8>] {
        var pixels = (0...255).map { SIMD4<UInt8>(UInt8($0), 0, 0, 255) }
        unsafe pixels.withUnsafeMutableBytes { unsafe transform.apply($0) }
        return pixels
    }

    private static func fillAlpha(_ row: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 3, to: row.count, by: 4) { unsafe row[offset] = 255 }
    }

    private static func convertPlainCMYK(_ row: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: row.count, by: 4) {
            let light = unsafe 255 - UInt32(row[offset + 3])
            for channel in offset..<offset + 3 {
                unsafe row[channel] = UInt8(((255 - UInt32(row[channel])) * light + 127) / 255)
            }
            unsafe row[offset + 3] = 255
        }
    }
}
