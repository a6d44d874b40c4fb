import WebImagePixels

extension DecodeOptions {
    /// What the cache key says of a decode: all that makes it give other pixels than the default one does.
    var cacheKeyFragments: [String] {
        var fragments: [String] = []
        if let cropRect { fragments.append(CacheKey.regionFragment(cropRect)) }
        if let thumbnailPixelSize {
            fragments.append(
                CacheKey.thumbnailFragment(size: thumbnailPixelSize, preservesAspectRatio: preservesAspectRatio))
        }
        if let scaleDownByteLimit { fragments.append(CacheKey.scaleDownFragment(byteLimit: scaleDownByteLimit)) }
        if thumbnailPixelSize != nil || scaleDownByteLimit != nil {
            if thumbnailQuality != .exact { fragments.append("ThumbnailQuality(\(thumbnailQuality.rawValue))") }
            if resampling != .lanczos3 { fragments.append(resampling.cacheKeyFragment) }
        }
        if firstFrameOnly { fragments.append(CacheKey.firstFrameFragment) }
        if frameIndex != 0 { fragments.append("Frame(\(frameIndex))") }
        if colorConversion == .none { fragments.append("Color(none)") }
        if alpha == .straight { fragments.append("Alpha(straight)") }
        return fragments
    }

    /// The options to read back what was stored after all the pixel changes that these ask for.
    var afterPixelChanges: DecodeOptions {
        var options = self
        options.cropRect = nil
        options.thumbnailPixelSize = nil
        options.scaleDownByteLimit = nil
        options.frameIndex = 0
        return options
    }
}

extension Resampling {
    /// `Resampling(box)`, `Resampling(lanczos3,linear)`.
    fileprivate var cacheKeyFragment: String {
        light == .encoded
            ? "Resampling(\(filter.rawValue))" : "Resampling(\(filter.rawValue),\(light.rawValue))"
    }
}
