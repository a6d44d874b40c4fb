import CWebImageAVIF
import WebImageCore
import WebImagePixels

/// How the picture of an AVIF's samples is cut and turned to stand upright: the properties `clap`, `irot` and `imir`,
/// in this order (MIAF, ISO 23000-22, 7.3.6.7).
enum AVIFTransform {
    /// The part of the samples that is the picture.
    struct Crop {
        var x: Int
        var y: Int
        var size: PixelSize
        /// The size of all samples.
        var whole: PixelSize

        init(x: Int, y: Int, size: PixelSize, whole: PixelSize? = nil) {
            self.x = x
            self.y = y
            self.size = size
            self.whole = whole ?? size
        }
    }

    /// All samples where the aperture cannot be used, as browsers have it.
    static func crop(_ image: UnsafePointer<avifImage>) -> Crop {
        let whole = unsafe PixelSize(Int(image.pointee.width), Int(image.pointee.height))
        guard unsafe image.pointee.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else {
            return Crop(x: 0, y: 0, size: whole)
        }
        var rect = avifCropRect()
        var diagnostics = avifDiagnostics()
        var aperture = unsafe image.pointee.clap
        let isValid = unsafe avifCropRectConvertCleanApertureBox(
            &rect, &aperture, image.pointee.width, image.pointee.height, image.pointee.yuvFormat, &diagnostics)
        let size = PixelSize(Int(rect.width), Int(rect.height))
        guard isValid != 0, !size.isEmpty, Int(rect.x) + size.width <= whole.width,
            Int(rect.y) + size.height <= whole.height
        else { return Crop(x: 0, y: 0, size: whole) }
        return Crop(x: Int(rect.x), y: Int(rect.y), size: size, whole: whole)
    }

    /// Quarter turns against the clock, then a mirror.
    static func orientation(_ image: avifImage) -> Orientation {
        let isTurned = unsafe image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0
        let isMirrored = unsafe image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0
        let turns = unsafe isTurned ? Int(image.irot.angle & 3) : 0
        guard isMirrored else { return [.up, .left, .down, .right][turns] }
        let leftIsRight = unsafe image.imir.mode == 1
        let mirrored: [Orientation] =
            leftIsRight
            ? [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
            : [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
        return mirrored[turns]
    }
}
