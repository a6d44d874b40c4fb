import CWebImageLCMS
import WebImageFoundation

/// How Little CMS finds samples in 4-byte pixels.
enum PixelLayout {
    // The macros of lcms2.h are not visible from Swift: COLORSPACE_SH(c) is c << 16, EXTRA_SH << 7, CHANNELS_SH << 3.
    private static func format(_ space: Int32, channels: UInt32, extra: UInt32) -> cmsUInt32Number {
        cmsUInt32Number(space) << 16 | extra << 7 | channels << 3 | 1
    }

    static let rgba = format(PT_RGB, channels: 3, extra: 1)
    static let grayAndThree = format(PT_GRAY, channels: 1, extra: 3)
    static let cmyk = format(PT_CMYK, channels: 4, extra: 0)
}

/// What Little CMS works in: a context of our own, so that no other user of the library in this process changes ours.
///
/// `@unchecked Sendable`: made once and only read afterwards; Little CMS locks what little it changes in a context.
@safe
final class ColorContext: @unchecked Sendable {
    static let shared = ColorContext()
    /// `nil`, which is the context of the whole process, only where there is no memory.
    let handle: cmsContext?

    private init() {
        unsafe handle = cmsCreateContext(nil, nil)
        // Broken profiles are normal, and a library does not write to standard error.
        unsafe cmsSetLogErrorHandlerTHR(handle) { _, _, _ in }
    }
}

/// A profile of Little CMS, closed when it goes.
@safe
final class Profile {
    private let handle: cmsHPROFILE

    private init?(_ handle: cmsHPROFILE?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        unsafe cmsCloseProfile(handle)
    }

    /// `nil` for samples that need no profile, and for one that is broken or for other channels.
    convenience init?(_ source: SourceColor) {
        switch source.encoding {
        case .standard:
            return nil
        case .profile(let data):
            guard ProfileShape.isSound(data),
                let opened = unsafe data.withUnsafeBytes({ bytes in
                    unsafe cmsOpenProfileFromMemTHR(
                        ColorContext.shared.handle, bytes.baseAddress, cmsUInt32Number(clamping: bytes.count))
                })
            else { return nil }
            unsafe self.init(opened)
            guard unsafe cmsGetColorSpace(handle) == Self.signature(of: source.channels) else { return nil }
        case .primaries(let primaries, let gamma):
            guard source.channels != .cmyk, primaries.isFinite, gamma > 0.05, gamma < 20 else { return nil }
            self.init(primaries, curve: ToneCurve(exponent: gamma), channels: source.channels)
        case .codePoints(let primaries, let transfer):
            guard let primaries = SourceColor.Primaries(codePoint: primaries),
                let curve = ToneCurve(codePoint: transfer)
            else { return nil }
            self.init(primaries, curve: curve, channels: source.channels)
        }
    }

    private convenience init?(_ primaries: SourceColor.Primaries, curve: ToneCurve?, channels: SourceColor.Channels) {
        guard let curve else { return nil }
        var white = cmsCIExyY(x: primaries.white.x, y: primaries.white.y, Y: 1)
        if channels == .gray {
            unsafe self.init(cmsCreateGrayProfileTHR(ColorContext.shared.handle, &white, curve.handle))
            return
        }
        var triple = cmsCIExyYTRIPLE(
            Red: cmsCIExyY(x: primaries.red.x, y: primaries.red.y, Y: 1),
            Green: cmsCIExyY(x: primaries.green.x, y: primaries.green.y, Y: 1),
            Blue: cmsCIExyY(x: primaries.blue.x, y: primaries.blue.y, Y: 1))
        var curves: [OpaquePointer?] = unsafe [curve.handle, curve.handle, curve.handle]
        unsafe self.init(cmsCreateRGBProfileTHR(ColorContext.shared.handle, &white, &triple, &curves))
    }

    /// A transform of this profile's 4-byte pixels to sRGB ones.
    func transform(from layout: cmsUInt32Number) -> PixelTransform? {
        guard let target = unsafe cmsCreate_sRGBProfileTHR(ColorContext.shared.handle) else { return nil }
        defer { unsafe cmsCloseProfile(target) }
        // The transform is shared between threads, which its one-pixel cache would not survive. Alpha is copied by
        // leaving it where it is: source and target are one buffer.
        var flags = cmsUInt32Number(cmsFLAGS_NOCACHE) | cmsUInt32Number(cmsFLAGS_BLACKPOINTCOMPENSATION)
        // Little CMS would make grey quick by a curve of few points, which is ten steps off in the shadows of linear
        // light; it is asked 256 times only.
        if layout == PixelLayout.grayAndThree { flags |= cmsUInt32Number(cmsFLAGS_NOOPTIMIZE) }
        let transform = unsafe cmsCreateTransformTHR(
            ColorContext.shared.handle, handle, layout, target, PixelLayout.rgba,
            cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), flags)
        return unsafe PixelTransform(transform)
    }

    /// The quick way of this profile to sRGB, where it has one.
    var matrixConversion: MatrixConversion? {
        guard let target = unsafe cmsCreate_sRGBProfileTHR(ColorContext.shared.handle) else { return nil }
        defer { unsafe cmsCloseProfile(target) }
        return unsafe MatrixConversion(from: handle, to: target)
    }

    private static func signature(of channels: SourceColor.Channels) -> cmsColorSpaceSignature {
        switch channels {
        case .rgb: cmsSigRgbData
        case .gray: cmsSigGrayData
        case .cmyk: cmsSigCmykData
        }
    }
}

/// A transform of Little CMS between 4-byte pixels, deleted when it goes.
///
/// `@unchecked Sendable`: a Little CMS transform made without a cache is only read by `cmsDoTransform`.
@safe
final class PixelTransform: @unchecked Sendable {
    private let handle: cmsHTRANSFORM

    fileprivate init?(_ handle: cmsHTRANSFORM?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        unsafe cmsDeleteTransform(handle)
    }

    /// Converts whole pixels in place.
    func apply(_ row: UnsafeMutableRawBufferPointer) {
        unsafe cmsDoTransform(handle, row.baseAddress, row.baseAddress, cmsUInt32Number(row.count / 4))
    }
}

/// A curve from samples to light, freed when it goes.
@safe
final class ToneCurve {
    let handle: OpaquePointer

    private init?(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        unsafe cmsFreeToneCurve(handle)
    }

    convenience init?(exponent: Double) {
        unsafe self.init(cmsBuildGamma(ColorContext.shared.handle, exponent))
    }

    /// A transfer characteristic of ITU-T H.273, table 3; `nil` for what is unspecified or for high dynamic range.
    convenience init?(codePoint: Int) {
        switch codePoint {
        case 4: self.init(exponent: 2.2)
        case 5: self.init(exponent: 2.8)
        case 8: self.init(exponent: 1)
        case 13: unsafe self.init(Self.parametric([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]))
        // Pictures coded so are meant for the display gamma that sRGB stands for, not for the camera's curve.
        case 1, 6, 14, 15: unsafe self.init(Self.parametric([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]))
        default: return nil
        }
    }

    /// Type 4 of ICC.1: ((ax + b)^g for x ≥ d, cx below.
    private static func parametric(_ parameters: [Double]) -> OpaquePointer? {
        unsafe cmsBuildParametricToneCurve(ColorContext.shared.handle, 4, parameters)
    }
}

extension SourceColor.Primaries {
    fileprivate var isFinite: Bool {
        [white, red, green, blue].allSatisfy { $0.x.isFinite && $0.y.isFinite }
    }

    /// Colour primaries of ITU-T H.273, table 2; `nil` for what is unspecified.
    init?(codePoint: Int) {
        let d65 = Point(0.3127, 0.3290)
        switch codePoint {
        case 1: self.init(white: d65, red: Point(0.640, 0.330), green: Point(0.300, 0.600), blue: Point(0.150, 0.060))
        case 5: self.init(white: d65, red: Point(0.640, 0.330), green: Point(0.290, 0.600), blue: Point(0.150, 0.060))
        case 6, 7:
            self.init(white: d65, red: Point(0.630, 0.340), green: Point(0.310, 0.595), blue: Point(0.155, 0.070))
        case 9: self.init(white: d65, red: Point(0.708, 0.292), green: Point(0.170, 0.797), blue: Point(0.131, 0.046))
        case 11:
            self.init(
                white: Point(0.314, 0.351), red: Point(0.680, 0.320), green: Point(0.265, 0.690),
                blue: Point(0.150, 0.060))
        case 12: self.init(white: d65, red: Point(0.680, 0.320), green: Point(0.265, 0.690), blue: Point(0.150, 0.060))
        default: return nil
        }
    }
}
