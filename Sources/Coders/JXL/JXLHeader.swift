import CWebImageJXL
import WebImageColor
import WebImageCore
import WebImageFoundation
import WebImagePixels

/// What stands before the first frame of a JPEG XL file.
struct JXLHeader: Sendable {
    /// Upright: libjxl turns the picture.
    let size: PixelSize
    let hasAlpha: Bool
    let isPremultiplied: Bool
    let isAnimated: Bool
    /// How often an animation plays; 0 is for ever.
    let loopCount: Int?
    let ticksPerSecond: Double
    /// The extra channel that is the black of CMYK.
    let blackChannel: Int?
    let extraChannelCount: Int
    private let usesOriginalProfile: Bool
    private let isGray: Bool
    private let conversion: DecodeOptions.ColorConversion
    /// What the decoded samples mean.
    private(set) var color = SourceColor()
    /// The ICC profile that the file brings.
    private(set) var profile: Data?

    /// Of a decoder that has just read the basic information.
    init(_ decoder: OpaquePointer, _ conversion: DecodeOptions.ColorConversion = .sRGB) throws(ImageError) {
        self.conversion = conversion
        var info = JxlBasicInfo()
        guard unsafe JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS else {
            throw ImageError(.badImageData, .decode, "the jxl is damaged in its header")
        }
        size = PixelSize(Int(info.xsize), Int(info.ysize))
        extraChannelCount = Int(info.num_extra_channels)
        isGray = info.num_color_channels == 1
        blackChannel = isGray ? nil : unsafe Self.blackChannel(decoder, Int(info.num_extra_channels))
        hasAlpha = info.alpha_bits > 0 && blackChannel == nil
        isPremultiplied = info.alpha_premultiplied != 0
        isAnimated = info.have_animation != 0
        loopCount = isAnimated ? Int(info.animation.num_loops) : nil
        ticksPerSecond = Double(info.animation.tps_numerator) / Double(max(1, info.animation.tps_denominator))
        usesOriginalProfile = info.uses_original_profile != 0
    }

    private static func blackChannel(_ decoder: OpaquePointer, _ count: Int) -> Int? {
        (0..<count).first { index in
            var info = JxlExtraChannelInfo()
            return unsafe JxlDecoderGetExtraChannelInfo(decoder, index, &info) == JXL_DEC_SUCCESS
                && info.type == JXL_CHANNEL_BLACK
        }
    }

    /// Throws `limitExceeded` for a picture that is too large, alone or with all its extra channels.
    func check(_ limits: DecodeLimits) throws(ImageError) {
        try limits.check(size, of: .jpegXL)
        let channels = 3 + extraChannelCount
        guard channels <= 4 || (size.pixelCount ?? .max) / 4 <= limits.maxPixelCount / channels else {
            throw ImageError(
                .limitExceeded, .decode,
                "jxl of \(size) with \(extraChannelCount) extra channels holds more samples than "
                    + "\(limits.maxPixelCount) pixels have; raise DecodeLimits.maxPixelCount")
        }
    }

    // MARK: Colour

    /// Of a decoder that has just read the colour encoding. Every decoder of a file must be told so, since it asks
    /// libjxl for sRGB where that has to choose.
    mutating func readColor(_ decoder: OpaquePointer) {
        var encoding = JxlColorEncoding()
        let status = unsafe JxlDecoderGetColorAsEncodedProfile(
            decoder, nil, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding)
        if status != JXL_DEC_SUCCESS {
            profile = unsafe Self.profile(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL)
            unsafe prefersSRGB(decoder)
        }
        color = unsafe dataColor(decoder)
    }

    /// libjxl has no colour management of its own: of a picture in XYB with a profile it gives linear light unless
    /// asked for something else. Where nothing is to be converted it stays at that.
    private func prefersSRGB(_ decoder: OpaquePointer) {
        guard !usesOriginalProfile, conversion == .sRGB else { return }
        var encoding = JxlColorEncoding()
        encoding.color_space = isGray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB
        encoding.white_point = JXL_WHITE_POINT_D65
        encoding.primaries = JXL_PRIMARIES_SRGB
        encoding.transfer_function = JXL_TRANSFER_FUNCTION_SRGB
        encoding.rendering_intent = JXL_RENDERING_INTENT_RELATIVE
        unsafe _ = JxlDecoderSetPreferredColorProfile(decoder, &encoding)
    }

    private func dataColor(_ decoder: OpaquePointer) -> SourceColor {
        let channels: SourceColor.Channels = blackChannel != nil ? .cmyk : isGray ? .gray : .rgb
        var encoding = JxlColorEncoding()
        if unsafe JxlDecoderGetColorAsEncodedProfile(decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, &encoding)
            == JXL_DEC_SUCCESS
        {
            let transfer = encoding.transfer_function
            if [JXL_TRANSFER_FUNCTION_PQ, JXL_TRANSFER_FUNCTION_HLG].contains(transfer) {
                let primaries = Int(encoding.primaries.rawValue)
                return SourceColor(channels, .codePoints(primaries: primaries, transfer: Int(transfer.rawValue)))
            }
            let isSRGB =
                transfer == JXL_TRANSFER_FUNCTION_SRGB
                && encoding.white_point == JXL_WHITE_POINT_D65
                && (isGray || encoding.primaries == JXL_PRIMARIES_SRGB)
            if isSRGB { return SourceColor(channels) }
        }
        let profile = unsafe Self.profile(decoder, JXL_COLOR_PROFILE_TARGET_DATA)
        return SourceColor(channels, profile.map { .profile($0) } ?? .standard)
    }

    private static func profile(_ decoder: OpaquePointer, _ target: JxlColorProfileTarget) -> Data? {
        var count = 0
        guard unsafe JxlDecoderGetICCProfileSize(decoder, nil, target, &count) == JXL_DEC_SUCCESS, count > 0,
            count <= 1 << 24
        else { return nil }
        var profile = Data(count: count)
        let status = unsafe profile.withUnsafeMutableBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe JxlDecoderGetColorAsICCProfile(decoder, nil, target, start, bytes.count)
        }
        return status == JXL_DEC_SUCCESS ? profile : nil
    }
}
