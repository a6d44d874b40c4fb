import CWebImageLCMS
import WebImageFoundation

/// Turns rows of a file's samples into sRGB, in place.
///
/// `@unchecked Sendable`: a Little CMS transform made without a cache is only read by `cmsDoTransform`.
@safe
public final class ColorTransform: @unchecked Sendable {
    @safe
    private enum Step {
        /// A transform of 4-byte pixels; the last byte of an RGB pixel is left as it is.
        case pixels(cmsHTRANSFORM, fillsAlpha: Bool)
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
            guard let transform = unsafe profile.transform(from: PixelLayout.rgba) else { return nil }
            unsafe self.init(.pixels(transform, fillsAlpha: false))
            // A profile that says sRGB in its own words costs nothing.
            guard !isIdentity else { return nil }
        case .gray:
            guard let transform = unsafe profile.transform(from: PixelLayout.grayAndThree) else { return nil }
            defer { unsafe cmsDeleteTransform(transform) }
            unsafe self.init(.grays(Self.table(transform)))
            guard !isIdentity else { return nil }
        case .cmyk:
            guard let transform = unsafe profile.transform(from: PixelLayout.cmyk) else {
                self.init(.plainCMYK)
                return
            }
            unsafe self.init(.pixels(transform, fillsAlpha: true))
        }
    }

    private init(_ step: Step) {
        self.step = step
    }

    deinit {
        if case .pixels(let transform, _) = step { unsafe cmsDeleteTransform(transform) }
    }

    /// Converts whole pixels, 4 bytes each: straight RGBA, grey three times with alpha, or CMYK. Alpha stays, and is
    /// full after CMYK.
    public func apply(_ row: UnsafeMutableRawBufferPointer) {
        switch step {
        case .pixels(let transform, let fillsAlpha):
            unsafe cmsDoTransform(transform, row.baseAddress, row.baseAddress, cmsUInt32Number(row.count / 4))
            if fillsAlpha { unsafe Self.fillAlpha(row) }
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
        let levels: [UInt8] = [0, 51, 102, 153, 204, 255]
        var pixels: [UInt8] = []
        for red in levels {
            for green in levels { for blue in levels { pixels += [red, green, blue, 255] } }
        }
        if case .grays = step { pixels = levels.flatMap { [$0, $0, $0, 255] } }
        let before = pixels
        unsafe pixels.withUnsafeMutableBytes { unsafe apply($0) }
        return zip(before, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    private static func table(_ transform: cmsHTRANSFORM) -> [SIMD4<UInt8>] {
        var pixels = (0...255).map { SIMD4<UInt8>(UInt8($0), 0, 0, 255) }
        unsafe pixels.withUnsafeMutableBytes { bytes in
            unsafe cmsDoTransform(transform, bytes.baseAddress, bytes.baseAddress, 256)
        }
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
